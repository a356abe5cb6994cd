import type { Tag } from './scenario.js';

/** `undefined` matches every failure. */
export const matches = (tags: readonly Tag[] | undefined, tag: Tag): boolean =>
  tags === undefined || tags.includes(tag);
