// Each figure comes from a process of its own, one after the other.
import { execFileSync } from 'node:child_process';
import path from 'node:path';

const folder = import.meta.dirname;
/** A young generation that no run can fill: nothing is collected while allocations are counted. */
export const ROOMY = ['--max-semi-space-size=256', '--min-semi-space-size=256'];
/** Where much survives, threads of the collector that wait for each other on a busy machine would count as work. */
export const ONE_THREAD = ['--single-threaded-gc'];
const LONGEST_MS = process.argv.includes('--quick') ? 30_000 : 90_000;

/** What the script printed as JSON; nothing, and a word about it, where it failed or took too long. */
export function figureOf({ node, flags = [], script, args }) {
  const command = ['--expose-gc', ...flags, path.join(folder, script), ...args.map(String)];
  try {
    const printed = execFileSync(node, command, {
      encoding: 'utf8',
      timeout: LONGEST_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return JSON.parse(printed) ?? undefined;
  } catch (error) {
    console.error(`no figure of ${script} ${args.join(' ')}: ${error.stderr || error.message}`);
    process.exitCode = 1;
    return undefined;
  }
}
