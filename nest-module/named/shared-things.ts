import { Inject, Injectable } from '@nestjs/common';
import { ConfigurationError } from '../../lib/index.js';
import { NestHost } from '../nest-host.js';
import type { Kind, Named } from './kind.js';

interface Shared {
  readonly registration: Named;
  readonly thing: Named;
}

/** Makes the named things of an application: one for each name, however many modules ask for it. */
@Injectable()
export class SharedThings {
  private readonly shared = new Map<Kind, Map<string, Shared>>();

  constructor(@Inject(NestHost) private readonly host: NestHost) {}

  /** @throws {ConfigurationError} when somebody else gave this name other settings. */
  obtain(kind: Kind, registration: Named): Named {
    const { name } = registration;
    const known = this.sharedOf(kind);
    const present = known.get(name);
    if (present === undefined) {
      const thing = kind.is(registration) ? registration : kind.make(registration, this.host);
      known.set(name, { registration, thing });
      return thing;
    }
    if (isSame(kind, present.registration, registration)) return present.thing;
    throw new ConfigurationError({
      option: kind.option,
      problem: `has '${name}' twice: ${print(kind, present.registration)}, and ${print(kind, registration)}`,
      cure: 'give the same settings in both places, or another name in one',
    });
  }

  registrations(kind: Kind): readonly Named[] {
    return [...this.sharedOf(kind).values()].map(({ registration }) => registration);
  }

  private sharedOf(kind: Kind): Map<string, Shared> {
    let known = this.shared.get(kind);
    if (known === undefined) this.shared.set(kind, (known = new Map<string, Shared>()));
    return known;
  }
}

function isSame(kind: Kind, one: Named, other: Named): boolean {
  return kind.is(one) || kind.is(other) ? one === other : kind.isSame(one, other);
}

function print(kind: Kind, registration: Named): string {
  return kind.is(registration) ? `a ${kind.className} object of its own` : kind.print(registration);
}
