/** What HTTP clients leave in their failures, read so that no getter, proxy or odd shape of theirs can throw. */

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function read(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

/** Where HTTP clients keep the status: `status`, `statusCode`, or the same on `response`; Nest has `getStatus()`. */
export function statusOf(failure: object): number | undefined {
  const response = read(failure, 'response');
  const getStatus = read(failure, 'getStatus');
  const places = [read(failure, 'status'), read(failure, 'statusCode')];
  if (isObject(response)) places.push(read(response, 'status'), read(response, 'statusCode'));
  if (typeof getStatus === 'function') places.push(callOn(failure, getStatus as () => unknown));
  return places.find(
    (status): status is number => typeof status === 'number' && status >= 100 && status <= 599,
  );
}

function callOn(self: object, method: () => unknown): unknown {
  try {
    return method.call(self);
  } catch {
    return undefined;
  }
}
