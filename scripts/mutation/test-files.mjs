import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** Folders whose tests need a server, a process, Nest or the sources themselves: they are slow, and test other things. */
const elsewhere =
  /^test\/(nest|faults|leaks|redis|sqlite|samples|docs|public-surface|mcp|opentelemetry|setup|tc39|types|consumers)/;
/** What looks at memory, at real time or at a second copy of the package. */
const special = /\/(leaks|memory|many-keys|process-end|two-copies|brand|system-clock)\.spec/;

/** Test files whose every test can be run at any time in one process, as paths from the copy. */
export async function testFiles(copy) {
  const files = await readdir(path.join(copy, 'test'), { recursive: true });
  return files
    .filter((file) => file.endsWith('.spec.js'))
    .map((file) => path.posix.join('test', file))
    .filter((file) => !elsewhere.test(file) && !special.test(file))
    .sort();
}
