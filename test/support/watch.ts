/** Work that never ends. */
export function hang(): Promise<never> {
  return new Promise(() => undefined);
}

/** How a promise stands, without waiting for it. */
export function watch(promise: Promise<unknown>): {
  state: 'pending' | 'fulfilled' | 'rejected';
  outcome: unknown;
} {
  const watched: ReturnType<typeof watch> = { state: 'pending', outcome: undefined };
  promise.then(
    (value) => Object.assign(watched, { state: 'fulfilled', outcome: value }),
    (error: unknown) => Object.assign(watched, { state: 'rejected', outcome: error }),
  );
  return watched;
}
