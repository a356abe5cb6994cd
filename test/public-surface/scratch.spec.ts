import { it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { surfacesOf } from './surface.js';
it('x', () => {
  surfacesOf(['lib/index.ts', 'lib/testing/index.ts', 'nest-module/index.ts']).forEach((lines, i) => writeFileSync(`/tmp/rd/surface-${i}.txt`, lines.join('\n') + '\n'));
});
