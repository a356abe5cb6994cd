// What every subject does under its policies: nothing, at once, or fail with an error that is there already.
export const failure = new Error('down');

export const works = async () => 1;
export const fails = async () => {
  throw failure;
};
export const hangs = () => new Promise(() => undefined);

/** Fails so many times before each success. */
export function failsFirst(times) {
  let left = times;
  return async () => {
    if (left === 0) {
      left = times;
      return 1;
    }
    left -= 1;
    throw failure;
  };
}

/** For work that fails on purpose: the failure is taken, as a caller would take it. */
export const taken = (call) => () => call().then(undefined, () => undefined);
