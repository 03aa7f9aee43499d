import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RULES_COMMANDS } from '../../src/cli/rules/commands.ts';
import { nameAndWords } from '../../src/cli/words.ts';

/**
 * test/conformance/written (`said/...`) compares texts with TPV's own answers; here is what has no
 * recording.
 */
const RULES = `tools:
  streams:
    rules:
    - if: |
        import sys
        print('to the errors', file=sys.stderr)
        log.error('%s and %s', 'one')
        log.error('logged')
        True
  sized: { params: { size: '{input_size}' } }
  leaves:
    rules:
    - { if: true, execute: pass }
destinations:
  first:
    runner: slurm
    rules:
    - if: tool.id == 'leaves'
      execute: |
        from tpv.core.entities import TryNextDestinationOrFail
        raise TryNextDestinationOrFail('full')
  second: { runner: slurm }
`;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'says-'));
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await write('rules.yml', RULES);
  await write('wrong.yml', 'tools: { x: { cores: [1] } }\n');
  await write('broken.yml', 'tools: { x\n');
  await write('list.yml', '- a\n');
  await mkdir(join(folder, 'folder'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type End = { readonly code: number; readonly out: string; readonly err: string };

function dryRun(tool: string, ...more: readonly string[]): Promise<End> {
  return run('dry-run', '--tool', tool, ...more, 'rules.yml');
}

async function run(...line: readonly string[]): Promise<End> {
  const [name, words] = nameAndWords(line);
  const command = Object.entries(RULES_COMMANDS).find(([known]) => known === name)?.[1];
  if (command === undefined) throw new Error(`no command ${name}`);
  let [out, err] = ['', ''];
  const terminal = {
    folder,
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  return { code: await command(words, terminal), out, err };
}

describe('the output of a dry run', () => {
  test('has what rules print to stderr, and reports a log record that cannot be written', async () => {
    const { code, out, err } = await dryRun('streams');
    expect({ code, out: out.split('\n', 2) }).toEqual({
      code: 0,
      out: ['ERROR: tpv.core.loader: logged', '!!python/object:galaxy.jobs.JobDestination'],
    });
    expect(err).toMatch(
      new RegExp(
        String.raw`^to the errors\n--- Logging error ---\n[^]*` +
          String.raw`TypeError: not enough arguments for format string\n` +
          String.raw`Message: '%s and %s'\nArguments: \('one',\)\n$`,
      ),
    );
  });

  test('logs why a destination gives up a job', async () => {
    const { code, out } = await dryRun('leaves');
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(
        String.raw`^ERROR: tpv\.core\.mapper: Destination entity: id='first'.* matched but could ` +
          String.raw`not fulfill requirements due to: full\. Trying next candidate\.\.\.\n!!python`,
      ),
    );
  });

  test('with -vv names the files that are loaded, and with -vvv how destinations are ranked', async () => {
    expect((await run('-vv', 'dry-run', '--tool', 'sized', 'rules.yml')).out).toMatch(
      /^INFO : tpv\.rules\.gateway: loading tpv rules from: \['rules\.yml'\]\n!!python/,
    );
    const { out } = await run('-vvv', 'dry-run', '--tool', 'sized', 'rules.yml');
    expect(out).toMatch(
      new RegExp(
        String.raw`^DEBUG: tpv\.core\.entities: Ranking destinations: ` +
          String.raw`\[Destination\(id='first'.* for entity: id='sized'.* using default ranker$`,
        'm',
      ),
    );
    expect(
      out.match(/^DEBUG: tpv\.core\.entities: Destination: id='sized'.* scored: 1$/gm),
    ).toHaveLength(2);
  });

  test.each([['dry-run'], ['dump'], ['lint']])(
    '%s logs a YAML file without rules, and not a file that is no YAML',
    async (command) => {
      const line = 'ERROR: tpv.core.loader: Error loading TPV config: wrong.yml\n';
      expect(await run(command, 'wrong.yml')).toMatchObject({
        code: 1,
        out: expect.stringMatching(new RegExp(`^${line}`)),
      });
      expect((await run(command, 'broken.yml')).out).not.toContain('tpv.core.loader');
    },
  );
});

describe('the arguments of a dry run', () => {
  test('read the size of the inputs as a whole number, as Python does', async () => {
    expect((await dryRun('sized', '--input-size', '+1_0')).out).toContain(
      "params: {size: '10.0'}\n",
    );
    expect(await dryRun('sized', '--input-size', '5.5')).toMatchObject({
      code: 2,
      err: expect.stringContaining("not '5.5'"),
    });
  });

  test.each([['--roles'], ['--history-tags']])('need a value for %s', async (option) => {
    expect(await run('dry-run', 'rules.yml', option)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${option} expects at least one word`),
    });
    expect((await run('dry-run', option, '--explain', 'rules.yml')).code).toBe(2);
  });

  test('need an id for a tool', async () => {
    expect((await dryRun('')).code).toBe(2);
  });
});

describe('files that cannot be used', () => {
  test('a folder, and an empty name, are reported in the words of Python', async () => {
    expect((await run('lint', 'folder')).out).toContain("[Errno 21] Is a directory: 'folder'");
    expect((await run('lint', '')).out).toContain("[Errno 2] No such file or directory: ''");
  });

  test('format refuses a file that is no mapping', async () => {
    expect(await run('format', 'list.yml')).toEqual({
      code: 1,
      out: 'ERROR: tpv.commands.shell: format failed.\nlist.yml:1:1: a rule file must be a mapping\n',
      err: '',
    });
  });
});
