/** Where it begins: the connection, and what people do. */
export const MAIN = String.raw`
const base = location.pathname.replace(/\/*$/, '/');
/** @type {any} */
let latest = null;
let lostFor = 0;

/** An answer as an object; what went wrong is in its error. @type {(path: string, init?: RequestInit) => Promise<any>} */
async function ask(path, init) {
  try {
    const response = await fetch(base + path, init);
    const body = await response.json().catch(() => ({}));
    return response.ok ? body : { error: String(body.message ?? body.error ?? 'The application answered with status ' + response.status + '.') };
  } catch {
    return { error: 'The application does not answer.' };
  }
}

function drawAll() {
  if (latest === null || document.hidden) return;
  drawTotals(latest);
  drawBreakers(latest.circuit_breakers, latest.circuit_breaker_changes, latest.omitted.circuit_breakers);
  drawLimits(latest.concurrency_limits, latest.omitted.concurrency_limits);
  drawOperations(latest);
  drawShields(latest.shields, latest.at, latest.omitted.shields);
}

/** @type {(kindOf: string, text: string) => void} */
function tellLink(kindOf, text) {
  kind(at('link'), kindOf);
  say(at('link'), text);
}

function connect() {
  const source = new EventSource(base + 'events');
  source.addEventListener('opening', (event) => {
    const { curves: known, executions } = JSON.parse(event.data);
    curves = new Map(Object.entries(known));
    addCalls(executions);
  });
  source.addEventListener('frame', (event) => {
    latest = JSON.parse(event.data);
    lostFor = 0;
    tellLink('live', 'live');
    addCalls(latest.executions);
    drawAll();
  });
  source.addEventListener('trouble', (event) => tellLink('lost', 'the state cannot be read: ' + JSON.parse(event.data).error_type));
  source.onerror = () => {
    tellLink('lost', 'connection lost, trying again');
    if (source.readyState !== EventSource.CLOSED) return;
    lostFor = Math.min(30, lostFor + 2);
    setTimeout(connect, lostFor * 1000);
  };
}

/** @type {(isPast: boolean) => void} */
function showTab(isPast) {
  for (const [id, isShown] of /** @type {[string, boolean][]} */ ([['now', !isPast], ['past', isPast]])) {
    at(id).hidden = !isShown;
    at('tab-' + id).setAttribute('aria-selected', String(isShown));
    at('tab-' + id).tabIndex = isShown ? 0 : -1;
  }
  if (isPast) void showPast(false);
  else measureRows();
}

function listen() {
  list.addEventListener('scroll', drawRows, { passive: true });
  list.addEventListener('keydown', (event) => {
    const move = LIST_KEYS[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  });
  list.addEventListener('blur', () => !callDialog.open && setActive(''));
  at('filter').addEventListener('input', filterCalls);
  at('trouble').addEventListener('change', filterCalls);
  at('fresh').addEventListener('click', () => {
    list.scrollTop = 0;
    takeWaiting();
    addCalls([]);
  });
  at('call-close').addEventListener('click', () => callDialog.close());
  at('act-cancel').addEventListener('click', () => actDialog.close());
  at('act-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void doAct();
  });
  at('past-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void showPast(false);
  });
  at('past-older').addEventListener('click', () => void showPast(true));
  listenToTabs();
  document.addEventListener('visibilitychange', drawAll);
  addEventListener('resize', measureRows);
}

function listenToTabs() {
  const tabs = /** @type {HTMLElement} */ (document.querySelector('.tabs'));
  tabs.hidden = document.documentElement.dataset.history !== 'true';
  for (const [id, isPast] of /** @type {[string, boolean][]} */ ([['tab-now', false], ['tab-past', true]])) {
    at(id).addEventListener('click', () => showTab(isPast));
    at(id).addEventListener('keydown', ({ key }) => {
      if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
      showTab(!isPast);
      at(isPast ? 'tab-now' : 'tab-past').focus();
    });
  }
}

listen();
measureRows();
addCalls([]);
connect();
`;
