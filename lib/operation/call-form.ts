/**
 * What a caller gets: the value or error itself; result objects with the report; or, inside the engine, how the call
 * failed, for several callers to be told.
 */
export type CallForm = 'value' | 'result' | 'rejection';
