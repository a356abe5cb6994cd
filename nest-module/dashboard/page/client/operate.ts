/** Forcing and resetting a circuit breaker, with a reason. */
export const OPERATE = String.raw`
const actDialog = /** @type {HTMLDialogElement} */ (at('act'));
const reason = /** @type {HTMLInputElement} */ (at('act-reason'));
/** @type {{ name: string, action: string }} */
let act = { name: '', action: '' };

/** @type {Record<string, [title: string, about: string]>} */
const ACTS = {
  force_open: ['Hold open: ', 'Every call will be refused, until somebody resets it.'],
  force_closed: ['Hold closed: ', 'Every call will pass, whatever comes of it, until somebody resets it.'],
  reset: ['Reset: ', 'It is closed, forgets what it has counted, and decides by itself again.'],
};

/** @type {(name: string, action: string) => void} */
function openAct(name, action) {
  act = { name, action };
  const [title, about] = /** @type {[string, string]} */ (ACTS[action]);
  say(at('act-title'), title + name);
  say(at('act-about'), about);
  say(at('act-error'), '\u00a0');
  reason.value = '';
  actDialog.showModal();
  reason.focus();
}

/** @type {() => Promise<void>} */
async function doAct() {
  const go = /** @type {HTMLButtonElement} */ (at('act-go'));
  go.disabled = true;
  const body = JSON.stringify({ ...act, reason: reason.value });
  const headers = { 'content-type': 'application/json', 'x-relprim-dashboard': document.documentElement.dataset.token ?? '' };
  const { circuit_breaker, error } = await ask('operate', { method: 'POST', headers, body });
  go.disabled = false;
  if (circuit_breaker) actDialog.close();
  else say(at('act-error'), error ?? 'It was not done.');
}
`;
