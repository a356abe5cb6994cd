/**
 * Calls back in the next turn of the event loop, when the calls that are under way have had theirs. It is looked up at
 * each call, so that fake timers installed later are obeyed.
 */
export function nextTurn(callback: () => void): void {
  setImmediate(callback);
}
