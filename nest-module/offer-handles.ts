import { Inject, Optional } from '@nestjs/common';
import { EXECUTOR_HANDLE, onDecorated } from '../lib/container.js';

let offered = false;

/**
 * Makes Nest hand the application's handle to every instance with decorated methods that it constructs, in whatever
 * scope: as an optional property, which no class has to declare.
 */
export function offerHandles(): void {
  if (offered) return;
  offered = true;
  onDecorated((prototype) => {
    // A class with decorated static methods is no instance that Nest constructs.
    if (typeof prototype === 'function') return;
    Optional()(prototype, EXECUTOR_HANDLE);
    Inject(EXECUTOR_HANDLE)(prototype, EXECUTOR_HANDLE);
  });
}
