/** The live list of calls: however many there are, only the rows in sight exist. */
export const CALLS = String.raw`
const MOST_CALLS = 1000;
const list = at('calls');
const space = at('space');
/** @type {any[]} Newest first. */
let calls = [];
/** @type {any[]} Newest first; not in the list yet. */
let waiting = [];
const ids = new Set();
/** @type {any[]} What the filter leaves of them. */
let visible = [];
/** @type {any[]} */
const rows = [];
let active = '';
let rowHeight = 34;

/** @type {(fresh: any[]) => void} Oldest first, as they come. */
function addCalls(fresh) {
  for (const call of fresh) {
    if (ids.has(call.call_id)) continue;
    ids.add(call.call_id);
    waiting.unshift(call);
  }
  for (const call of waiting.splice(MOST_CALLS)) ids.delete(call.call_id);
  if (!isHeld()) takeWaiting();
  say(at('fresh'), waiting.length + ' new');
  at('fresh').style.visibility = waiting.length > 0 ? 'visible' : 'hidden';
}

function takeWaiting() {
  if (waiting.length === 0) return;
  calls = [...waiting, ...calls];
  waiting = [];
  for (const call of calls.splice(MOST_CALLS)) ids.delete(call.call_id);
  filterCalls();
}

/** Whether somebody reads it, so that nothing may move. */
function isHeld() {
  const isPointedAt = matchMedia('(hover: hover)').matches && list.matches(':hover');
  return list.scrollTop > 0 || isPointedAt || (document.activeElement === list && active !== '') || at('call').hasAttribute('open');
}

/** @type {(call: any) => boolean} */
const isTrouble = ({ status, attempt_count }) => status !== 'succeeded' || attempt_count > 1;

function filterCalls() {
  const text = /** @type {HTMLInputElement} */ (at('filter')).value.trim().toLowerCase();
  const onlyTrouble = /** @type {HTMLInputElement} */ (at('trouble')).checked;
  visible = calls.filter((call) => (!onlyTrouble || isTrouble(call)) && call.operation_name.toLowerCase().includes(text));
  space.style.height = visible.length * rowHeight + 'px';
  drawRows();
}

/** @type {() => any} */
function makeRow() {
  const node = el('div', 'row');
  node.setAttribute('role', 'option');
  node.id = 'row-' + rows.length;
  const part = { node, call: /** @type {any} */ (null), ...rowCells(node) };
  node.addEventListener('click', () => {
    setActive(part.call.call_id);
    void openCall(part.call.call_id);
  });
  space.append(node);
  return part;
}

/** @type {(node: HTMLElement) => any} */
function rowCells(node) {
  const cells = { time: el('span', 'time'), status: el('span', 'status'), name: el('span', 'name'), tries: el('span', 'tries'), took: el('span', 'took'), why: el('span', 'why') };
  node.append(cells.time, cells.status, cells.name, cells.tries, cells.took, cells.why);
  return cells;
}

/** When it ended, by which the list is in order. @type {(call: any) => number} */
const endOf = ({ started_at, duration_seconds }) => Date.parse(started_at) + duration_seconds * 1000;

/** @type {(part: any, call: any) => void} */
function fillRow(part, call) {
  const [kindOf, text] = statusOf(call.status);
  say(part.time, clock(endOf(call)));
  say(part.status, text);
  kind(part.status, kindOf);
  say(part.name, call.operation_name);
  say(part.tries, call.attempt_count === 1 ? '' : plural(call.attempt_count, 'attempt') + (call.fallback_used ? ', fallback' : ''));
  say(part.took, seconds(call.duration_seconds));
  kind(part.why, call.error_type ? 'bad' : '');
  say(part.why, call.error_type ?? (call.circuit_breaker_open ? 'refused by a breaker' : ''));
}

function drawRows() {
  const first = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 2);
  const needed = Math.ceil(list.clientHeight / rowHeight) + 5;
  while (rows.length < needed) rows.push(makeRow());
  rows.forEach((part, index) => {
    const place = first + index;
    const call = index < needed ? visible[place] : undefined;
    part.node.hidden = call === undefined;
    part.call = call;
    if (call === undefined) return;
    part.node.style.transform = 'translateY(' + place * rowHeight + 'px)';
    part.node.setAttribute('aria-posinset', String(place + 1));
    part.node.setAttribute('aria-setsize', String(visible.length));
    part.node.setAttribute('aria-selected', String(call.call_id === active));
    if (call.call_id === active) list.setAttribute('aria-activedescendant', part.node.id);
    fillRow(part, call);
  });
}

/** @type {(callId: string) => void} */
function setActive(callId) {
  active = callId;
  if (callId === '') list.removeAttribute('aria-activedescendant');
  drawRows();
}

/** @type {(steps: number) => void} */
function moveActive(steps) {
  if (visible.length === 0) return;
  const from = visible.findIndex((call) => call.call_id === active);
  const to = from < 0 ? 0 : Math.max(0, Math.min(visible.length - 1, from + steps));
  const top = to * rowHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + rowHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + rowHeight - list.clientHeight;
  setActive(visible[to].call_id);
}

function measureRows() {
  rowHeight = parseFloat(getComputedStyle(list).getPropertyValue('--row')) || 34;
  filterCalls();
}

/** @type {Record<string, () => void>} */
const LIST_KEYS = {
  ArrowDown: () => moveActive(1),
  ArrowUp: () => moveActive(-1),
  PageDown: () => moveActive(10),
  PageUp: () => moveActive(-10),
  Home: () => moveActive(-Infinity),
  End: () => moveActive(Infinity),
  Escape: () => setActive(''),
  Enter: () => void (active !== '' && openCall(active)),
};
`;
