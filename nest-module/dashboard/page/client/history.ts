/** What has happened before, page by page. */
export const HISTORY = String.raw`
/** @type {{ kind: string, operation: string, before: number | null }} */
let past = { kind: 'reports', operation: '', before: null };

/** @type {(isOlder: boolean) => Promise<void>} */
async function showPast(isOlder) {
  if (!isOlder) {
    const kindOf = /** @type {HTMLSelectElement} */ (at('past-kind')).value;
    past = { kind: kindOf, operation: /** @type {HTMLInputElement} */ (at('past-operation')).value.trim(), before: null };
  }
  const query = new URLSearchParams({ kind: past.kind, operation: past.operation });
  if (past.before !== null) query.set('before', String(past.before));
  const { entries, before, error } = await ask('history?' + query);
  const found = entries ?? [];
  past.before = before ?? null;
  /** @type {HTMLButtonElement} */ (at('past-older')).disabled = past.before === null;
  say(at('past-note'), error ?? (found.length === 0 ? nothingFound() : plural(found.length, past.kind === 'events' ? 'event' : 'call') + ', newest first'));
  at('past-rows').replaceChildren(...found.map(past.kind === 'events' ? eventRow : reportRow));
}

function nothingFound() {
  return past.kind === 'events' ? 'No event is stored there.' : 'No call is stored there. Reports are kept if executor.observe(store.onReport) was called.';
}

/** @type {(execution: any) => HTMLElement} */
function reportRow(execution) {
  const { report } = execution;
  const item = el('li');
  const button = /** @type {HTMLButtonElement} */ (el('button', 'row'));
  button.type = 'button';
  const last = report.attempts.at(-1);
  fillRow(rowCells(button), { ...report, fallback_used: last?.fallback === true, error_type: report.status === 'succeeded' ? null : report.last_error?.type ?? null });
  say(/** @type {Element} */ (button.querySelector('.time')), moment(report.started_at));
  button.addEventListener('click', () => {
    clearCall('');
    drawCall(execution);
    callDialog.showModal();
  });
  item.append(button);
  return item;
}

/** @type {(event: any) => HTMLElement} */
function eventRow(event) {
  const item = el('li', 'row event');
  const payload = el('span', 'tries', JSON.stringify(event.payload));
  payload.title = payload.textContent ?? '';
  item.append(el('span', 'time', moment(event.timestamp)), el('span', 'status', event.event_type), el('span', 'name', event.operation_name), payload);
  return item;
}
`;
