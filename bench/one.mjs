// One measurement of one subject, in a process of its own: `node --expose-gc bench/one.mjs cpu|heap <subject>`.
import { measureCpu, measureHeap } from './measure.mjs';
import { BARE, subjects } from './subjects.mjs';

const [, , what, name] = process.argv;
const subject = subjects[name];
const figure = what === 'cpu' ? await measureCpu(subjects[BARE], subject) : await measureHeap(subject);
console.log(JSON.stringify(figure));
process.exit(0);
