import { UseGuards, type Type } from '@nestjs/common';
import type { SiteGuard } from './site-options.js';

/** What tells @nestjs/swagger to leave a controller out. */
const NOT_IN_SWAGGER = 'swagger/apiExcludeController';

/** A controller that is no part of the application's own API, for whom the guards let in. */
export function guarded(controller: Type, guards: readonly SiteGuard[]): Type {
  if (guards.length > 0) UseGuards(...guards)(controller);
  Reflect.defineMetadata(NOT_IN_SWAGGER, [true], controller);
  return controller;
}
