import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { RULES_COMMANDS } from '../../src/cli/rules-commands.ts';
import { USAGE } from '../../src/cli/usage.ts';
import { PLANNER } from './service-process.ts';

const run = async (name: keyof typeof USAGE, ...words: readonly string[]) => {
  let [out, err] = ['', ''];
  const terminal = { folder: '/nowhere', out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  return { code: await RULES_COMMANDS[name](words, terminal), out, err };
};

const NAMES = ['lint', 'format', 'dump', 'dry-run', 'why-not', 'diff'] as const;

describe('--help', () => {
  test.each(NAMES)('planner %s tells how it is used', async (name) => {
    for (const word of ['--help', '-h']) {
      const { code, out } = await run(name, 'rules.yml', word);
      expect(out).toMatch(new RegExp(`^usage: planner ${name} `));
      expect(code).toBe(0);
    }
  });

  test.each(NAMES)('planner %s knows every option that it tells of', async (name) => {
    const told = [...USAGE[name].matchAll(/^ {2}(--[a-z-]+)( [A-Z])?/gm)];
    for (const [, option = '', value] of told) {
      const { err } = await run(name, option, ...(value === undefined ? [] : ['1']));
      expect(err).not.toContain('Unknown option');
    }
  });

  test.each(NAMES)('planner %s leads there who mistypes an option', async (name) => {
    expect(await run(name, '--tolo')).toEqual({
      code: 2,
      out: '',
      err: `planner ${name}: Unknown option '--tolo'\nplanner ${name} --help tells what it takes\n`,
    });
  });
});

test('planner --version tells the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const { stdout } = await promisify(execFile)(PLANNER[0], [...PLANNER.slice(1), '--version']);
  expect(stdout).toBe(`${version}\n`);
});
