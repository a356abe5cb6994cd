import { brandError } from '../errors/brand.js';
import { RelPrimError } from '../errors/relprim-error.js';

/**
 * The application stopped while a call waited for its next attempt. The call ended at once, as if its caller had gone
 * away: no fallback was asked, its report says `cancelled`. `cause` is the failure that it waited after.
 */
export class ResilienceShutdownError extends RelPrimError {
  constructor(
    readonly operationName: string,
    cause?: unknown,
  ) {
    super(
      cause === undefined
        ? `${operationName} waited when the application stopped`
        : `${operationName} waited for its next attempt when the application stopped`,
      cause === undefined ? undefined : { cause },
    );
  }
}
brandError(ResilienceShutdownError, 'ResilienceShutdownError', 'RELPRIM_SHUTDOWN');
