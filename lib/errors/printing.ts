/** The method by which Node's `console.log` asks an object how to print itself. */
export const INSPECT = Symbol.for('nodejs.util.inspect.custom');
