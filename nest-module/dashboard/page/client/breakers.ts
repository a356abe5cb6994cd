/** The cards of circuit breakers. Which lines a card has never changes while it is there. */
export const BREAKERS = String.raw`
const operable = document.documentElement.dataset.operable === 'true';

/** @type {(breaker: any) => [kind: string, text: string]} */
function breakerState({ state, forced, probe_due }) {
  if (forced !== null) return ['hold', 'held ' + forced];
  if (state === 'closed') return ['good', '● closed'];
  if (state === 'half_open') return ['warn', '◐ half-open'];
  return ['bad', probe_due ? '▲ probe due' : '▲ open'];
}

/** @type {(breaker: any) => any} */
function makeBreaker(breaker) {
  const node = el('article', 'card');
  const { pill, facts } = cardParts(node, breaker.name);
  const { track, bar: probeBar } = bar();
  const part = { node, pill, probeBar, inRow: /** @type {any} */ (null), window: /** @type {any} */ (null),
    budget: /** @type {any} */ (null), probe: fact(facts, 'Next probe'), change: /** @type {any} */ (null) };
  facts.before(track);
  if (breaker.failure_threshold !== null) part.inRow = fact(facts, 'Failures in a row');
  if (breaker.calls !== null) part.window = fact(facts, 'Window');
  if (breaker.budget !== null) part.budget = fact(facts, 'Budget');
  part.change = fact(facts, 'Last change');
  if (operable) node.append(breakerActs(breaker.name));
  return part;
}

/** @type {(name: string) => HTMLElement} */
function breakerActs(name) {
  const acts = el('div', 'acts');
  for (const [action, label] of [['force_open', 'Hold open'], ['force_closed', 'Hold closed'], ['reset', 'Reset']]) {
    const button = /** @type {HTMLButtonElement} */ (el('button', '', label));
    button.type = 'button';
    button.setAttribute('aria-label', label + ': ' + name);
    button.addEventListener('click', () => openAct(name, /** @type {string} */ (action)));
    acts.append(button);
  }
  return acts;
}

/** @type {(part: any, breaker: any) => void} */
function updateBreaker(part, breaker) {
  const [kindOf, text] = breakerState(breaker);
  say(part.pill, text);
  kind(part.pill, kindOf);
  sayWhole(part.probe, probeText(breaker));
  const left = breaker.state === 'open' && breaker.forced === null ? (breaker.retry_after_seconds ?? 0) : 0;
  fill(part.probeBar, left / breaker.recovery_timeout_seconds, 'bad');
  if (part.inRow) say(part.inRow, breaker.failure_count + ' of ' + breaker.failure_threshold);
  if (part.window) sayWhole(part.window, windowText(breaker));
  if (part.budget && breaker.budget) {
    const { spent, limit, per_seconds } = breaker.budget;
    say(part.budget, spent + ' of ' + limit + ' in ' + span(per_seconds));
  }
  sayWhole(part.change, changeText(breaker.last_change));
}

/** @type {(breaker: any) => string} */
function probeText(breaker) {
  const { state, forced, forced_reason, retry_after_seconds, probes_in_flight, probe_due } = breaker;
  if (forced !== null) return 'held: ' + (forced_reason ?? 'no reason given');
  if (state === 'half_open') return plural(probes_in_flight, 'probe') + ' under way';
  if (state === 'closed') return 'none needed';
  if (probe_due) return 'with the next call';
  return retry_after_seconds === null ? 'not known' : 'in ' + seconds(retry_after_seconds);
}

/** @type {(breaker: any) => string} */
function windowText({ calls, failure_rate, slow_call_rate }) {
  let text = plural(calls ?? 0, 'call') + ', ' + percent(failure_rate) + ' failed';
  if (slow_call_rate !== null) text += ', ' + percent(slow_call_rate) + ' slow';
  return text;
}

/** @type {(change: any) => string} */
function changeText(change) {
  if (change === null) return 'none since counting';
  const words = change.from_state.replace('_', '-') + ' → ' + change.to_state.replace('_', '-');
  const reason = change.reason ? ': ' + change.reason : '';
  if (change.by === 'operator') return clock(change.at) + (change.forced ? ' held ' + change.to_state : ' reset') + reason;
  return clock(change.at) + ' ' + words + (change.by === 'fleet' ? ' by another process' : '') + reason;
}

/** @type {(part: any, change: any) => void} */
function updateChange({ node }, change) {
  const [time, ...words] = changeText(change).split(' ');
  sayWhole(node, time + '  ' + change.breaker_name + ': ' + words.join(' '));
  kind(node, change.forced ? 'hold' : change.to_state === 'closed' ? 'good' : change.to_state === 'open' ? 'bad' : 'warn');
}

/** @type {(breakers: any[], changes: any[], omittedCount: number) => void} */
function drawBreakers(breakers, changes, omittedCount) {
  // Lines are places, which get other texts: nothing moves.
  draw(at('changes'), changes, () => '', () => ({ node: el('li') }), updateChange);
  say(at('h-changes'), changes.length === 0 ? 'No changes so far' : 'Latest changes');
  draw(at('breakers'), breakers, (breaker) => breaker.name, makeBreaker, updateBreaker);
  omitted(at('breakers'), omittedCount);
}
`;
