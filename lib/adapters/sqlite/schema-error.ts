import { brandError } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';

/** The tables of a file were made by a later version of this library, or by something else. Nothing was changed. */
export class SqliteEventStoreSchemaError extends RelPrimError {
  constructor(
    /** The part of the schema: `event_store`, `event_call_ids` or `report_store`. */
    readonly component: string,
    /** The version that stands in the file. */
    readonly version: unknown,
    /** The latest version that is known here. */
    readonly knownVersion: number,
  ) {
    const found = typeof version === 'number' ? String(version) : `a ${typeof version}`;
    super(`the file has version ${found} of ${component}, and this library knows up to ${knownVersion}`);
  }
}
brandError(SqliteEventStoreSchemaError, 'SqliteEventStoreSchemaError', 'RELPRIM_SQLITE_SCHEMA');
