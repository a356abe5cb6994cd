import type { KeptOutcome, NotKept } from '../../policies/idempotency/idempotency-store.js';
import type { ExecutionReport, ExecutionReportJson } from '../../report/execution-report.js';
import { reportFromJson } from '../../report/report-from-json.js';

/** Writes values down, and reads them. */
export interface ValueCodec {
  /** `undefined` for the value `undefined`. @throws for a value that cannot be written down. */
  encode(value: unknown): string | undefined;
  decode(text: string): unknown;
}

export const JSON_CODEC: ValueCodec = {
  encode: (value) => JSON.stringify(value),
  decode: (text) => JSON.parse(text) as unknown,
};

/** What stands in the store. A form that this version does not know is an error, never a wrong answer. */
interface Written {
  readonly version: 1;
  /** As the codec wrote it; left out for `undefined`. */
  readonly value?: string | undefined;
  readonly withoutValue?: true | undefined;
  readonly unavailable?: NotKept | undefined;
  readonly report: ExecutionReportJson;
}

export interface WrittenOutcome {
  readonly text: string;
  /** Why the value itself could not be written. */
  readonly unavailable: NotKept | undefined;
}

export function writeOutcome(outcome: KeptOutcome, codec: ValueCodec, maxValueBytes: number): WrittenOutcome {
  const { value, unavailable } = valueOf(outcome, codec, maxValueBytes);
  const withoutValue = outcome.withoutValue === true ? true : undefined;
  const report = outcome.report.toJSON();
  const written: Written = { version: 1, value, withoutValue, unavailable, report };
  return { text: JSON.stringify(written), unavailable };
}

function valueOf(
  { value, withoutValue, unavailable }: KeptOutcome,
  codec: ValueCodec,
  maxValueBytes: number,
): Pick<Written, 'value' | 'unavailable'> {
  if (withoutValue === true || unavailable !== undefined) return { unavailable };
  let text: unknown;
  try {
    text = codec.encode(value);
  } catch {
    return { unavailable: 'not_encodable' };
  }
  // JSON has no text for functions and symbols either: they would come back as `undefined`.
  if (typeof text !== 'string' && (text !== undefined || value !== undefined))
    return { unavailable: 'not_encodable' };
  if (text !== undefined && Buffer.byteLength(text) > maxValueBytes) return { unavailable: 'too_large' };
  return { value: text };
}

/** @throws for a text that this version has not written. */
export function readOutcome(text: string, codec: ValueCodec): KeptOutcome {
  const { version, value, withoutValue, unavailable, report } = JSON.parse(text) as Written;
  // Another version may say 2 here, whatever the type says.
  if ((version as number) !== 1)
    throw new TypeError(`the outcome was written by another version of this library, in form ${version}`);
  if (value === undefined) return new ReadOutcome(undefined, withoutValue, unavailable, report);
  try {
    return new ReadOutcome(codec.decode(value), undefined, undefined, report);
  } catch {
    // The work was done all the same: where the store counted as failed, it might be done again.
    return new ReadOutcome(undefined, undefined, 'not_encodable', report);
  }
}

/** Its report is made when somebody reads it. */
class ReadOutcome implements KeptOutcome {
  private built: ExecutionReport | undefined = undefined;

  constructor(
    readonly value: unknown,
    readonly withoutValue: true | undefined,
    readonly unavailable: NotKept | undefined,
    private readonly json: ExecutionReportJson,
  ) {}

  get report(): ExecutionReport {
    return (this.built ??= reportFromJson(this.json));
  }
}
