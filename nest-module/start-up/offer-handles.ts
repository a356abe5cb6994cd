import { Inject, Optional } from '@nestjs/common';
import { EXECUTOR_HANDLE, onDecorated } from '../../lib/container.js';

/**
 * Makes Nest hand the application's handle to every instance with decorated methods that it constructs, in whatever
 * scope: as an optional property, which no class has to declare.
 */
export function offerHandles(): void {
  onDecorated((prototype) => {
    // A class with decorated static methods is no instance that Nest constructs.
    if (typeof prototype !== 'function') offerHandle(prototype);
  });
}

/** The same for one class alone. */
export function offerHandle(prototype: object): void {
  Optional()(prototype, EXECUTOR_HANDLE);
  Inject(EXECUTOR_HANDLE)(prototype, EXECUTOR_HANDLE);
}
