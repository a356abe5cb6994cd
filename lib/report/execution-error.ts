/** What is kept of an error in a report: no error object, so that nothing else is kept alive. */
export interface ExecutionErrorFields {
  readonly type: string;
  readonly message: string;
  readonly module?: string | null;
  readonly retryable?: boolean | null;
}

const LONGEST_MESSAGE = 4_096;
const PLATFORM_NAMES = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
  'AggregateError',
]);

/** The summary of a failure: its type, its message, and whether the retry policy counts it as worth another try. */
export class ExecutionError implements ExecutionErrorFields {
  readonly type: string;
  readonly message: string;
  /** Kept for readers of other editions; always `null` here, as JavaScript classes do not know their module. */
  readonly module: string | null;
  readonly retryable: boolean | null;

  constructor({ type, message, module = null, retryable = null }: ExecutionErrorFields) {
    this.type = type;
    this.message = message;
    this.module = module;
    this.retryable = retryable;
    Object.freeze(this);
  }

  /** Summarises anything that can be thrown. An empty message becomes the type; long ones are cut at 4,096 letters. */
  static from(error: unknown, retryable: boolean | null = null): ExecutionError {
    return new ExecutionError(errorSummary(error, retryable));
  }

  toJSON(): { type: string; message: string; module: string | null; retryable: boolean | null } {
    return { type: this.type, message: this.message, module: this.module, retryable: this.retryable };
  }
}

/** What an {@link ExecutionError} is made of: the summary of a failure that nobody may ever read. */
export interface ErrorSummary {
  readonly type: string;
  readonly message: string;
  readonly retryable: boolean | null;
}

export function errorSummary(error: unknown, retryable: boolean | null): ErrorSummary {
  const type = errorType(error);
  const message = errorMessage(error);
  return { type, message: message === '' ? type : message, retryable };
}

/** The name people know an error by: its `name`, or its class where the class left the platform's name in place. */
export function errorType(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  try {
    const { name, constructor } = error as { name?: unknown; constructor?: { name?: unknown } };
    if (typeof name === 'string' && name !== '' && !PLATFORM_NAMES.has(name)) return name;
    const className = constructor?.name;
    if (typeof className === 'string' && className !== '' && className !== 'Object') return className;
    return typeof name === 'string' && name !== '' ? name : 'object';
  } catch {
    return 'object';
  }
}

const LONGEST_GIST = 80;

/** What an error is and says, as far as it is short: `RangeError (no such city)`. */
export function errorGist(error: unknown): string {
  const { type, message } = ExecutionError.from(error);
  return message === type ? type : `${type} (${shortened(message)})`;
}

/** The first line of a text, cut where it gets long. */
export function shortened(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > LONGEST_GIST ? `${line.slice(0, LONGEST_GIST)}…` : line;
}

function errorMessage(error: unknown): string {
  // The text of a function is its source code.
  if (typeof error === 'function') return '';
  try {
    const { message } = Object(error) as { message?: unknown };
    const text = typeof message === 'string' ? message : String(error);
    return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
  } catch {
    return '';
  }
}
