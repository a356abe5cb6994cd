/**
 * Something that is no attempt's failure ends the call: an event sink's error, a selector's, a misuse. It passes by
 * retry, record and fallback, and its reason reaches the caller as it is.
 */
export class Interruption {
  constructor(readonly reason: unknown) {}
}
