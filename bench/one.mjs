// One measurement of one subject, in a process of its own: `node --expose-gc bench/one.mjs cpu|heap <subject>`.
import { measureCpu, measureHeap } from './measure.mjs';
import { BARE, subjects } from './subjects.mjs';

const [, , what, name] = process.argv;
const { call } = subjects[name];
const figure = what === 'cpu' ? await measureCpu(subjects[BARE].call, call) : await measureHeap(call);
console.log(JSON.stringify(figure));
process.exit(0);
