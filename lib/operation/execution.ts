import type { Call } from './call.js';
import { complete, conclude } from './conclusion.js';
import { fallBack } from './fallback-step.js';
import { startedPayload } from './payloads.js';
import { recover } from './recovery.js';
import { tell, tellAttemptStarted, tellSuccess } from './telling.js';
import { validateValue } from './validation-step.js';

/**
 * One call, in its fixed order. Policies decide, this acts; what is not on the way of a first-try success stands in
 * files of its own. Whatever is thrown inside the loop is the failure of an attempt, unless it ends the whole call.
 *
 * It is one async function on purpose: what follows an `await` runs in the async context of this call, also when a
 * timer that another call armed is what ended the wait.
 */
export async function execute(call: Call): Promise<unknown> {
  const { plan } = call;
  const heard = call.emitters !== undefined;
  try {
    call.begin();
    if (heard) await tell(call, 'operation.started', call.startMs, () => startedPayload(plan));
    for (;;) {
      try {
        call.openAttempt();
        if (plan.breaker !== undefined || plan.selectBreaker !== undefined) call.askBreaker();
        if (heard) await tellAttemptStarted(call);
        call.startAttempt();
        const value = await call.invoke(plan.fn);
        call.stopWaiting();
        const validated = plan.validation === undefined ? undefined : validateValue(call, value);
        if (validated !== undefined) await validated;
        const transition = call.succeedAttempt();
        if (heard) await tellSuccess(call, transition);
        return complete(call, value);
      } catch (error) {
        if (!(await recover(call, error))) break;
      }
    }
    return await fallBack(call);
  } catch (error) {
    throw conclude(call, error);
  }
}
