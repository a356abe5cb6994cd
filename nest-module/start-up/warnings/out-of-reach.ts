import { operationName } from '../../../lib/container.js';
import type { Finder } from './warning.js';

/** Decorated methods that cannot find the application which they seem to belong to. */
export const methodsOutOfReach: Finder = ({ classes, statics }) => [
  ...statics.map(
    (method) =>
      `${operationName(method, method.declaredOn)} is static, so it runs outside the application, without its circuit breakers, defaults and sinks; make it a method of an instance`,
  ),
  ...classes.flatMap(({ instance, isSingleton, methods }) =>
    // Standard decorators know their class once the first instance is made, which here is none yet.
    (isSingleton ? [] : methods.filter(({ declaredOn }) => declaredOn === undefined)).map(
      (method) =>
        `${operationName(method, instance)} has a standard decorator on a class that is no singleton, so its first calls run outside the application; make the class a singleton, or compile it with experimentalDecorators`,
    ),
  ),
];
