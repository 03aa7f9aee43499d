import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RULES_COMMANDS } from '../../src/cli/rules/commands.ts';
import { nameAndWords } from '../../src/cli/words.ts';

const RULES = `global: {default_inherits: default}
tools:
  default: {abstract: true, cores: 2, mem: cores * 4, params: {n: '{cores}'}}
  big: {cores: 20, scheduling: {require: [fast]}}
  large.*:
    rules:
    - {id: too_large, if: input_size > 10, fail: 'No more than 10 GB.'}
users:
  .*@here.org: {scheduling: {prefer: [home]}}
destinations:
  small: {runner: r1, max_accepted_cores: 4, max_accepted_mem: 40}
  home: {runner: r2, max_accepted_cores: 40, scheduling: {accept: [home, fast]}}
`;

const STATE = `tools: {x: {cores: 1, mem: 1}}
destinations:
  a:
    runner: r
    rules:
    - if: true
      execute: |
        from tpv.core.entities import TryNextDestinationOrFail
        entity.params['left'] = 'behind'
        raise TryNextDestinationOrFail('full')
  b: {runner: r, params: {q: 8.0, '2': 1}, rules: [{if: true, execute: pass}]}
`;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rules-'));
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await write('rules.yml', RULES);
  await write('changed.yml', RULES.replace('cores: 2,', 'cores: 5,'));
  await write('broken.yml', 'tools:\n  x:\n    mem: 1 +\n');
  await write(
    'job_conf.yml',
    'execution:\n  environments:\n    tpv_dispatcher:\n      tpv_config_files: [rules.yml]\n',
  );
  await write(
    'job_conf.xml',
    '<job_conf><destinations><destination id="tpv_dispatcher"><param ' +
      'id="tpv_config_files">rules.yml</param></destination></destinations></job_conf>\n',
  );
  await write('empty.xml', '<job_conf/>\n');
  await write('broken.xml', '<job_conf>\n');
  await write('broken-rule.yml', 'tools:\n  x:\n    rules:\n    - id: r\n      if: input_size >\n');
  await write('typing.yml', 'tools:\n  x:\n    corse: 1\n    mem: coers * 4\n');
  await write('state.yml', STATE);
  await write(
    'job-state.yml',
    "tools:\n  x: {params: {state: '{job.state}'}}\n" +
      "  again: {rules: [{if: job.state == 'resubmitted', fail: not again}]}\n" +
      'destinations:\n  d: {runner: r}\n',
  );
  const job = (id: string): string =>
    JSON.stringify({
      tool: { id, requirements: [] },
      user: { email: 'a@b.c' },
      roles: [],
      inputs: [],
    });
  await write('jobs.jsonl', `${job('x')}\n${job('big')}\n`);
  await write('smaller.yml', RULES.replace('max_accepted_mem: 40', 'max_accepted_mem: 30'));
  const needs = (id: string, type: string, value: number): string =>
    JSON.stringify({
      tool: {
        id,
        requirements: [
          { type: 'cores_min', value: 2 },
          { type, value },
        ],
      },
      user: null,
      roles: [],
      inputs: [],
    });
  await write(
    'memory.jsonl',
    [
      needs('wrapper', 'ram_min', 30 * 1024),
      needs('wrapper', 'ram_min', 30 * 1024 + 1),
      needs('ask', 'mem_min', 30),
      needs('ask', 'mem_min', 31),
      '',
    ].join('\n'),
  );
  await write('bad.jsonl', `${job('x')}\n{"tool": 1}\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type End = { readonly code: number; readonly out: string; readonly err: string };

async function run(line: string): Promise<End> {
  const [name, words] = nameAndWords(line.split(' '));
  let out = '';
  let err = '';
  const command = Object.entries(RULES_COMMANDS).find(([known]) => known === name)?.[1];
  if (command === undefined) throw new Error(`no command ${name}`);
  const terminal = {
    folder,
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  return { code: await command(words, terminal), out, err };
}

describe('planner lint', () => {
  test('shows warnings only on request, and they are no failure', async () => {
    expect(await run('lint rules.yml')).toEqual({
      code: 0,
      out: 'INFO : tpv.commands.shell: lint successful.\n',
      err: '',
    });
    const { code, out } = await run('-vv lint rules.yml');
    expect(code).toBe(0);
    expect(out).toContain(
      'WARNING: tpv.commands.linter: T102: The tool named: big sets `cores` but not `mem`.',
    );
  });

  test('a file that does not load fails with place and line', async () => {
    const { code, out } = await run('lint broken.yml');
    expect(code).toBe(1);
    expect(out).toContain('broken.yml:3:');
    expect(out).toContain("'mem' of tool 'x' is not Python: ");
    expect(out).toContain('\n    1 +\n       ^\n');
    expect(out).toContain('lint failed.');
  });

  test('a rule that is no Python fails with place, entity and a caret in every format', async () => {
    const place = { file: 'broken-rule.yml', line: 5, column: 23 };
    const message =
      "'if' of rule 'r' in 'rules' of tool 'x' is not Python: expected an expression, not the end of the line";
    expect(await run('lint --ignore T103 broken-rule.yml')).toEqual({
      code: 1,
      out:
        `ERROR: tpv.commands.linter: broken-rule.yml:5:23: ${message}\n    input_size >\n` +
        '                ^\nINFO : tpv.commands.shell: lint failed.\n',
      err: '',
    });
    const entity = "rule 'r' in 'rules' of tool 'x'";
    const excerpt = 'input_size >\n            ^';
    const json = await run('lint --format json broken-rule.yml');
    expect([json.code, JSON.parse(json.out)]).toEqual([
      1,
      [{ ...place, severity: 'error', code: null, message, entity, excerpt }],
    ]);
    const sarif = await run('lint --format sarif broken-rule.yml');
    expect([sarif.code, JSON.parse(sarif.out)]).toMatchObject([
      1,
      {
        runs: [
          {
            results: [
              {
                level: 'error',
                message: { text: `${message}\n${excerpt}` },
                locations: [
                  {
                    physicalLocation: { region: { startLine: 5, startColumn: 23 } },
                    logicalLocations: [{ name: entity }],
                  },
                ],
              },
            ],
          },
        ],
      },
    ]);
  });

  test('undefined names and unknown keys are reported with their place', async () => {
    const { code, out } = await run('-v lint typing.yml');
    expect(code).toBe(0);
    expect(out).toContain(
      "WARNING: tpv.commands.linter: T104: typing.yml:3:5: Unexpected field '.tools.x.corse' - ",
    );
    expect(out).toContain(
      "WARNING: tpv.commands.linter: T103: typing.yml:4:10: Name 'coers' is not defined " +
        "where 'mem' of tool 'x' is evaluated; did you mean 'cores'?\n",
    );
  });

  test('in JSON and SARIF every finding has file, line and column', async () => {
    const json: unknown = JSON.parse((await run('lint --format json rules.yml')).out);
    expect(json).toEqual([
      expect.objectContaining({
        file: 'rules.yml',
        line: 4,
        column: 3,
        code: 'T102',
        severity: 'warning',
      }),
    ]);
    const sarif: unknown = JSON.parse((await run('lint --format sarif broken.yml')).out);
    expect(sarif).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          results: [
            {
              ruleId: 'rule-file',
              level: 'error',
              locations: [{ physicalLocation: { region: { startLine: 3 } } }],
            },
          ],
        },
      ],
    });
    expect((await run('lint --format json broken.yml')).code).toBe(1);
  });
});

describe('planner dry-run', () => {
  test('prints the destination, and with --explain how it was chosen', async () => {
    const { code, out, err } = await run('dry-run --tool x --user me@here.org rules.yml');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain("id: home\nlegacy: false\nparams: {n: '2'}\n");
    expect((await run('dry-run --tool x --explain rules.yml')).err).toContain(
      'Loaded config: rules.yml',
    );
  });

  test('finds the rule files of a job configuration', async () => {
    expect((await run('dry-run --job-conf job_conf.yml')).out).toContain('id: small\n');
    expect((await run('dry-run --job-conf job_conf.xml')).out).toContain('id: small\n');
    expect(await run('dry-run --job-conf empty.xml')).toMatchObject({
      code: 1,
      err: expect.stringContaining('a destination with the id tpv_dispatcher is expected'),
    });
    expect(await run('dry-run --job-conf broken.xml')).toMatchObject({
      code: 1,
      err: expect.stringContaining('line 2: <job_conf> is not closed'),
    });
  });

  test('rules see the state that --job-state gives the job, by default new', async () => {
    const state = async (options: string): Promise<string> =>
      (await run(`dry-run ${options} job-state.yml`)).out;
    expect(await state('--tool x')).toContain('params: {state: new}\n');
    expect(await state('--tool x --job-state resubmitted')).toContain(
      'params: {state: resubmitted}\n',
    );
    expect(
      (await run('why-not --destination d --tool again --job-state resubmitted job-state.yml')).out,
    ).toContain('fails: not again');
    expect((await run('why-not --destination d --tool again job-state.yml')).out).toContain(
      'd takes the job',
    );
  });

  test('prints a number of params as the file has it, a whole float too', async () => {
    expect((await run('dry-run --tool x state.yml')).out).toContain("params: {'2': 1, q: 8.0}\n");
  });

  test('a destination that gives up passes nothing on to the next, but with --strict', async () => {
    expect((await run('dry-run --tool x --strict state.yml')).out).toContain(
      "params: {'2': 1, left: behind, q: 8.0}\n",
    );
  });

  test('the trace is data in JSON', async () => {
    const { err } = await run('dry-run --tool x --explain --output-format json rules.yml');
    expect(JSON.parse(err)).toMatchObject({
      sources: ['rules.yml'],
      trace: [
        { step: 'tool-matched', tool: 'x' },
        {},
        {},
        {},
        {},
        {},
        {},
        {},
        {},
        { step: 'chosen' },
      ],
    });
  });

  test('a job that goes nowhere fails with the text of the rule', async () => {
    expect(await run('dry-run --tool large --input-size 11 rules.yml')).toEqual({
      code: 1,
      out: '',
      err: 'JobMappingException: No more than 10 GB.\n',
    });
  });
});

describe('planner why-not', () => {
  test('shows every clause, with numbers', async () => {
    const { code, out } = await run('why-not --destination small --tool big rules.yml');
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'small does not match:',
        '  cores 20 is above max_accepted_cores 4',
        '  mem 80 is above max_accepted_mem 40',
        "  the job requires the tag 'fast', which the destination does not have\n",
      ].join('\n'),
    );
  });

  test('names the destinations that precede one that would take the job', async () => {
    expect(
      (await run('why-not --destination small --tool x --user me@here.org rules.yml')).out,
    ).toBe('small could take the job (score 1); tried before it: home (score 2)\n');
    expect(
      (await run('why-not --destination small --tool large --input-size 11 rules.yml')).out,
    ).toBe('no destination was looked at: fails: No more than 10 GB.\n');
  });

  test('an unknown destination is an error that lists the known ones', async () => {
    expect(await run('why-not --destination smal rules.yml')).toEqual({
      code: 1,
      out: '',
      err: "there is no destination 'smal'; there are: small, home\n",
    });
  });
});

describe('planner diff', () => {
  test('shows which jobs move, from where and to where', async () => {
    expect(await run('diff rules.yml changed.yml --jobs jobs.jsonl')).toEqual({
      code: 1,
      out: '1: x of a@b.c: small -> home\n1 of 2 jobs would go elsewhere\n',
      err: '',
    });
    expect((await run('diff rules.yml rules.yml --jobs jobs.jsonl')).code).toBe(0);
  });

  test('reads the memory of a wrapper as MiB, like TPV 3.3, and that of an ask as GiB', async () => {
    // The destination's limit of 40 GiB becomes 30.
    expect((await run('diff rules.yml smaller.yml --jobs memory.jsonl')).out).toBe(
      [
        '2: wrapper: small -> home',
        '4: ask: small -> home',
        '2 of 4 jobs would go elsewhere',
        '',
      ].join('\n'),
    );
  });

  test('a line that is no job is an error with its place', async () => {
    expect(await run('diff rules.yml rules.yml --jobs bad.jsonl')).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        'bad.jsonl:2: not the description of a job: job.tool must be an object',
      ),
    });
  });
});

describe('planner dump and planner format', () => {
  test('dump prints the merged rules of all files', async () => {
    const { code, out } = await run('dump rules.yml changed.yml');
    expect(code).toBe(0);
    expect(out).toContain('  2. changed.yml\n');
    expect(out).toContain('  default (abstract):\n    cores: 5\n');
    expect((await run('dump --output-format yaml rules.yml')).out).toContain(
      '\n  small:\n    id: small\n',
    );
  });

  test('format prints the file in order', async () => {
    expect((await run('format rules.yml')).out.split('\n').slice(0, 3)).toEqual([
      'global: {default_inherits: default}',
      'tools:',
      '  default:',
    ]);
  });

  test('a missing file, an unknown option and an unknown format are reported', async () => {
    expect(await run('format gone.yml')).toMatchObject({
      code: 1,
      out: expect.stringContaining('format failed.'),
    });
    expect(await run('dump gone.yml')).toMatchObject({
      code: 1,
      err: expect.stringContaining("'gone.yml'"),
    });
    expect(await run('lint --nope rules.yml')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--nope'),
    });
    expect(await run('dump --output-format xml rules.yml')).toMatchObject({
      code: 2,
      err: expect.stringContaining("'xml'"),
    });
  });
});
