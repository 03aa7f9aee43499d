import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { RULES_COMMANDS } from '../../src/cli/rules/commands.ts';
import { USAGE } from '../../src/cli/usage.ts';
import { PLANNER } from './service-process.ts';

async function run(name: keyof typeof RULES_COMMANDS, ...words: readonly string[]) {
  let [out, err] = ['', ''];
  const terminal = {
    folder: '/nowhere',
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  return { code: await RULES_COMMANDS[name](words, terminal), out, err };
}

const NAMES = Object.keys(RULES_COMMANDS).filter((name): name is keyof typeof RULES_COMMANDS =>
  Object.hasOwn(RULES_COMMANDS, name),
);
function planner(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(PLANNER[0], [...PLANNER.slice(1), ...words], {
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

describe('--help', () => {
  test.each(Object.entries(USAGE))(
    'planner %s says how it is used, with an example, and does nothing else',
    (name, usage) => {
      expect(usage).toMatch(
        new RegExp(`^usage: planner ${name}\\b[^]*\\nExamples?:\\n.*planner ${name}`),
      );
      for (const word of ['--help', '-h'])
        expect(planner(name, word)).toEqual({ code: 0, out: usage, err: '' });
    },
  );

  test.each(NAMES)('planner %s knows every option that it lists', async (name) => {
    const told = [...USAGE[name].matchAll(/^ {2}(--[a-z-]+)( [A-Z])?/gm)];
    for (const [, option = '', value] of told) {
      const { err } = await run(name, option, ...(value === undefined ? [] : ['1']));
      expect(err).not.toContain('Unknown option');
    }
  });

  test.each(Object.keys(USAGE))('planner %s points to itself after a mistyped option', (name) => {
    expect(planner(name, '--tolo')).toEqual({
      code: 2,
      out: '',
      err: `planner ${name}: Unknown option '--tolo'\nplanner ${name} --help lists its arguments\n`,
    });
  });

  test.each([
    ['serve', ['now'], "'now' is one word too many"],
    ['check', ['a.yml', 'b.yml'], "'b.yml' is one word too many"],
    ['backup', [], 'a word is missing'],
    ['completion', ['fish'], "the shell must be bash or zsh, not 'fish'"],
  ])('planner %s with %j says what is wrong', (name, words, message) => {
    expect(planner(name, ...words)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`planner ${name}: ${message}\n`),
    });
  });
});

describe('completion', () => {
  const complete = (...words: readonly string[]): readonly string[] => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const script = `${planner('completion', 'bash').out}
      COMP_WORDS=(planner ${quoted})
      COMP_CWORD=${words.length}
      _planner
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split('\n');
  };

  test('of bash knows the commands and the options of each', () => {
    expect(complete('')).toEqual(Object.keys(USAGE));
    expect(complete('d')).toEqual(['dump', 'dry-run', 'diff', 'demo']);
    expect(complete('lint', '--f')).toEqual(['--format']);
    expect(complete('serve', '-')).toEqual(['--help']);
  });

  test('of zsh has the same commands and options', () => {
    const { out } = planner('completion', 'zsh');
    expect(out).toMatch(/^#compdef planner\n/);
    for (const name of Object.keys(USAGE)) expect(out).toContain(` ${name}`);
    expect(out).toContain('lint) options="--help --ignore --format --preserve-temp-code"');
  });
});

test('planner --version prints the version of the package', async () => {
  const { version } = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  expect(planner('--version').out).toBe(`${version}\n`);
});
