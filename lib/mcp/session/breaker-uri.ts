/** The resource of each breaker. */
export const BREAKER_TEMPLATE = 'reliable://breaker/{name}';
const PREFIX = 'reliable://breaker/';

export function uriOfBreaker(name: string): string {
  return PREFIX + encodeURIComponent(name);
}

/** The name in a URI; `undefined` where it is none of ours. */
export function breakerInUri(uri: string): string | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  try {
    return decodeURIComponent(uri.slice(PREFIX.length));
  } catch {
    return undefined;
  }
}
