#!/usr/bin/env node
import { main } from './cli/main.js';

void main(process.argv.slice(2)).then((code) => {
  // A connection that a client left half open must not keep the process; what was said must get out before.
  process.stdout.write('', () => process.exit(code));
});
