/** One call: its attempts, waits and fallbacks along its time, with the words of its report. */
export const WATERFALL = String.raw`
const callDialog = /** @type {HTMLDialogElement} */ (at('call'));

/** @type {(callId: string) => Promise<void>} */
async function openCall(callId) {
  clearCall('…');
  if (!callDialog.open) callDialog.showModal();
  const { execution, error } = await ask('executions/' + encodeURIComponent(callId));
  if (execution) drawCall(execution);
  else clearCall(error ?? 'This call is no longer kept: later ones have taken its place.');
}

/** @type {(about: string) => void} */
function clearCall(about) {
  say(at('call-title'), 'Call');
  say(at('call-about'), about);
  for (const id of ['waterfall', 'call-notes']) at(id).replaceChildren();
  at('axis').hidden = at('call-json').hidden = true;
}

/** @type {(execution: any) => void} */
function drawCall({ report, explanation }) {
  const lines = explanation.split('\n');
  const words = new Map();
  const notes = [];
  for (const line of lines.slice(1)) {
    const number = /^#(\d+) /.exec(line)?.[1];
    if (number === undefined) notes.push(line);
    else words.set(Number(number), line);
  }
  say(at('call-title'), lines[0] ?? '');
  say(at('call-about'), 'Began ' + moment(report.started_at) + ', call ' + report.call_id);
  const total = Math.max(report.duration_seconds, 1e-6);
  drawAxis(report.duration_seconds);
  at('waterfall').replaceChildren(...timeline(report, total).map(({ segments, number }) => step(segments, words.get(number) ?? '', total)));
  at('call-notes').replaceChildren(...notes.map((note) => el('li', '', note)));
  drawJson(report);
}

/** @type {(total: number) => void} */
function drawAxis(total) {
  const axis = at('axis');
  axis.hidden = false;
  [0, total / 2, total].forEach((value, index) => say(/** @type {Element} */ (axis.children[index]), seconds(value)));
}

/**
 * Where each attempt, and each wait, is on the time of its call. Wall clocks are coarse: no attempt begins before the
 * one ahead of it has ended.
 * @type {(report: any, total: number) => { number: number, segments: any[] }[]}
 */
function timeline(report, total) {
  let end = 0;
  return report.attempts.map((/** @type {any} */ attempt) => {
    const { duration_seconds: took, waited_seconds: waited, metadata } = attempt;
    const began = (Date.parse(attempt.started_at) - Date.parse(report.started_at)) / 1000;
    const start = Math.max(end, Math.min(began, total - took));
    const queued = Math.min(metadata.admission_waited_seconds ?? 0, start - end);
    const segments = [
      { kind: 'queue', start: start - queued, took: queued, title: 'waited to be admitted' },
      { kind: attemptKind(attempt), start, took, title: attempt.fallback ? 'fallback' : 'attempt' },
      { kind: 'wait', start: start + took, took: waited, title: 'waited' },
    ];
    end = start + took + waited;
    return { number: attempt.attempt_number, segments: segments.filter((one) => one.took > 0 || one.kind !== 'wait' && one.kind !== 'queue') };
  });
}

/** @type {(attempt: any) => string} */
function attemptKind({ status, fallback, metadata }) {
  if (metadata.circuit_breaker_open === true || metadata.admission_refused === true) return 'refused';
  return fallback && status === 'succeeded' ? 'fallback' : statusOf(status)[0];
}

/** @type {(segments: any[], text: string, total: number) => HTMLElement} */
function step(segments, text, total) {
  const node = el('li');
  const track = el('div', 'track');
  for (const { kind: kindOf, start, took, title } of segments) {
    const segment = el('div', 'seg');
    segment.dataset.kind = kindOf;
    segment.title = title + ' ' + seconds(took);
    segment.style.left = Math.min(99.5, (100 * start) / total).toFixed(3) + '%';
    segment.style.width = ((100 * took) / total).toFixed(3) + '%';
    track.append(segment);
  }
  const queued = segments.find((segment) => segment.kind === 'queue');
  const more = queued ? ' (after ' + seconds(queued.took) + ' in the queue)' : '';
  node.append(track, el('p', 'says', text + more));
  return node;
}

/** @type {(report: any) => void} */
function drawJson(report) {
  const details = /** @type {HTMLDetailsElement} */ (at('call-json'));
  details.hidden = false;
  details.open = false;
  const pre = /** @type {HTMLElement} */ (details.querySelector('pre'));
  pre.textContent = '';
  details.ontoggle = () => details.open && say(pre, JSON.stringify(report, undefined, 2));
}
`;
