import { checkOptions } from '../errors/check.js';
import type { ShieldProfileName } from './profiles.js';
import { CONFIG_OPTIONS, type ShieldConfig } from './shield-options.js';

/** What is to change of a shield: `undefined` leaves as it is, `false` takes away. */
export type ShieldChange = {
  readonly [K in keyof ShieldConfig]?: ShieldConfig[K] | false;
} & { readonly profile?: ShieldProfileName | undefined };

/** The configuration after a change. */
export function changedConfig(config: ShieldConfig, change: ShieldChange): ShieldConfig {
  checkOptions('change', change, [...CONFIG_OPTIONS, 'profile']);
  const entries = CONFIG_OPTIONS.map((option) => {
    const given = change[option];
    return [option, given === undefined ? config[option] : given === false ? undefined : given];
  });
  return Object.fromEntries(entries) as ShieldConfig;
}
