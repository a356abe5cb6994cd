import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { HELP } from '../../lib/mcp/cli/help.js';
import { readArguments } from '../../lib/mcp/cli/read-arguments.js';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

describe('the manifests', () => {
  it.each([
    ['mcp.json', 'servers'],
    ['.mcp.json', 'mcpServers'],
  ])('%s starts the command with words that it knows', (file, key) => {
    const { command, args } = JSON.parse(read(file))[key].relprim as { command: string; args: string[] };
    expect(command).toBe('npx');
    const words = args.slice(args.indexOf('relprim-mcp') + 1);
    expect(readArguments(words, {})).toMatchObject({ mcp: { allowHosts: ['api.example.com'] } });
  });

  it('and the packages start the file that package.json names', () => {
    const { bin, files } = JSON.parse(read('package.json'));
    for (const file of ['Dockerfile', 'smithery.yaml'])
      expect(read(file)).toContain(`/app/node_modules/relprim/${bin['relprim-mcp']}`);
    expect(files).not.toContain('Dockerfile');
  });
});

describe('the help', () => {
  it('tells every option, and no other', () => {
    const told = new Set([...HELP.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option as string));
    told.delete('--help');
    for (const option of told) {
      const isSwitch = ['--allow-private', '--allow-control'].includes(option);
      const value = option.startsWith('--secret') ? 'a.example.com:b=C' : option === '--http' ? ':1' : '5';
      const words =
        option === '--http-token'
          ? ['--http', ':1', option, 'TOKEN']
          : option === '--http-public-host'
            ? ['--http', ':1', option, 'a.example.com']
            : isSwitch
              ? [option]
              : [option, value];
      expect(readArguments(words, { TOKEN: 'x' })).toBeInstanceOf(Object);
    }
    expect(told.size).toBe(11);
  });
});
