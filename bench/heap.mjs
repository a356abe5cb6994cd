// Run by bench/run.mjs in a process of its own, with a young generation that no run can fill: nothing is collected
// between the two readings, so their difference is what the calls allocated.
import { measureHeap } from './measure.mjs';
import { subjects } from './subjects.mjs';

console.log(JSON.stringify([...(await measureHeap(subjects))]));
process.exit(0);
