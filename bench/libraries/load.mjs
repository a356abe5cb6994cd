// Peers come from a folder of their own: see bench/runtimes/peers.mjs, which writes `load.mjs` beside them.
import { pathToFileURL } from 'node:url';
import { peersFolder } from '../runtimes/peers.mjs';

export async function load(name) {
  const beside = await import(pathToFileURL(`${peersFolder()}/load.mjs`).href);
  return beside.load(name);
}
