import { NamedRegistry } from '../errors/named-registry.js';
import type { Shield } from './shield.js';

/** The named shields of one application. */
export class ShieldRegistry extends NamedRegistry<Shield> {
  constructor() {
    super({ option: 'shield', list: 'shields' });
  }
}
