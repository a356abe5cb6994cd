// Makes calls of every shape of a group, as many of each as is said, under one signal that lives as long as the process,
// and writes what is left of them: a line a shape, and last the warnings of the process.
import { leftoversOf } from '../leftovers.js';
import { GROUPS } from '../shapes/all.js';

const [group, calls, part = ''] = process.argv.slice(2) as [keyof typeof GROUPS, string, string?];
const warnings: string[] = [];
process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`));

const { signal } = new AbortController();
for (const shape of GROUPS[group])
  if (shape.name.includes(part)) console.log(JSON.stringify(await leftoversOf(shape, Number(calls), signal)));
console.log(JSON.stringify({ warnings }));
