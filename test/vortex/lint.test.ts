import { describe, expect, test } from '@jest/globals';
import { lint } from '../../src/vortex/tools/lint.ts';
import type { Finding, LintReport } from '../../src/vortex/tools/lint.ts';

function undefinedNames(text: string): readonly string[] {
  return findings(text)
    .filter(({ code }) => code === 'T103')
    .map(({ message }) => /'(\w+)'/.exec(message)?.[1] ?? message);
}

function findings(text: string, ...ignored: readonly string[]): readonly Finding[] {
  const report = lint([{ name: 'rules.yml', text }], new Set(ignored));
  if (report.kind === 'unreadable')
    throw new Error(report.problems.map(({ message }) => message).join('\n'));
  return report.findings;
}

describe('lint', () => {
  test('reports an undefined name, with its place', () => {
    expect(findings("tools:\n  x:\n    mem: 2\n    params:\n      p: '{nothing}'\n")).toEqual([
      {
        severity: 'warning',
        code: 'T103',
        message: "Name 'nothing' is not defined where 'params' of tool 'x' is evaluated",
        place: { file: 'rules.yml', line: 5, column: 12 },
      },
    ]);
  });

  test('knows which names exist at which stage', () => {
    const rule = (line: string): string =>
      `tools:\n  x:\n    rules:\n    - {id: r, if: true, ${line}}\n`;
    expect(undefinedNames(rule('execute: print(mem)'))).toEqual(['mem']);
    expect(undefinedNames(rule("params: {p: '{mem} {env}'}"))).toEqual([]);
    expect(undefinedNames(rule("env: {P: '{params}'}"))).toEqual(['params']);
    expect(undefinedNames('tools:\n  x: {mem: cores * 2, cores: 2, max_cores: cores}\n')).toEqual([
      'cores',
    ]);
    expect(undefinedNames('tools:\n  x: {rank: candidate_destinations}\n')).toEqual([]);
    expect(
      undefinedNames('destinations:\n  d: {runner: r, rules: [{id: r, if: cores > 2}]}\n'),
    ).toEqual([]);
  });

  test('reports an unknown module', () => {
    expect(
      findings('tools:\n  x: {mem: 1, rules: [{id: r, if: true, execute: import numpy}]}\n'),
    ).toMatchObject([
      {
        severity: 'warning',
        code: 'T103',
        message: expect.stringContaining("no module 'numpy'"),
        place: { line: 2 },
      },
    ]);
    expect(
      findings(
        'tools:\n  x: {mem: 1, rules: [{id: r, if: true, execute: import numpy}]}\n',
        'T103',
      ),
    ).toEqual([]);
  });

  test('reports a name that a module lacks, imported or looked up, and no name that it has', () => {
    const told = (...lines: readonly string[]): readonly string[] => {
      const code = ['', ...lines].join('\n          ');
      return findings(
        `tools:\n  x:\n    mem: 1\n    rules:\n      - if: true\n        execute: |${code}\n`,
      ).map(
        ({ code, message, place: { line, column } }) =>
          `${code ?? ''} ${line}:${column} ${message}`,
      );
    };
    const absent = (name: string, module: string): string =>
      `there is no '${name}' in the module '${module}' here`;
    expect(
      told('from urllib.parse import urlencode, nosuch', 'from math import ceil as nosuch'),
    ).toEqual([`T103 7:11 ${absent('nosuch', 'urllib.parse')}: importing it raises ImportError`]);
    expect(told('import urllib.parse', 'x = urllib.parse.quote(urllib.parse.nosuch)')).toEqual([
      expect.stringMatching(
        /^T103 8:\d+ there is no 'nosuch' in the module 'urllib.parse' here: reading it raises AttributeError$/,
      ),
    ]);
    expect(told('def f():', '    import math as m', '    return [m.nosuch for _ in ()]')).toEqual([
      expect.stringContaining(absent('nosuch', 'math')),
    ]);
    expect(told('from urllib import parse', 'x = (parse.quote, parse.nosuch)')).toEqual([
      expect.stringContaining(absent('nosuch', 'urllib.parse')),
    ]);
    expect(
      told(
        'import tpv.core.helpers, galaxy.jobs.rule_helper as r',
        'x = (tpv.nosuch, r.RuleHelper, r.nosuch)',
      ),
    ).toHaveLength(2);
    expect(told('x = helpers.nosuch(job), functools.nosuch, helpers.input_size(job)')).toHaveLength(
      2,
    );
    expect(
      told(
        'import math',
        'math.ceil(1).nosuch',
        'math.__doc__',
        'import os',
        'os.path.join("a").nosuch',
      ),
    ).toEqual([]);
    expect(told('def f(math): return math.nosuch', 'import math')).toEqual([]);
    expect(told('import re', 're = user', 're.nosuch')).toEqual([]);
  });

  test('knows context variables of all entities, built-ins, imports and names that a snippet binds', () => {
    const code =
      'import math\n        y = [n for n in range(site)]\n        math.ceil(max(y)) + tool_limit';
    const text =
      `global: {context: {site: 3}}\ntools:\n  x:\n    mem: |\n        ${code}\n` +
      '  y: {context: {tool_limit: 1}}\n';
    expect(undefinedNames(text)).toEqual([]);
  });

  test('reports unknown keys wherever they are, with the path that TPV prints', () => {
    const text =
      'song: 1\nglobal: {bar: 1}\ntools:\n  x:\n    corse: 1\n' +
      '    scheduling: {requires: [a]}\n    rules: [{id: r, if: true, fial: x}]\n';
    expect(findings(text).map(({ message }) => /'(.*)'/.exec(message)?.[1])).toEqual([
      '.song',
      '.global_config.bar',
      '.tools.x.corse',
      '.tools.x.tpv_tags.requires',
      '.tools.x.rules.r.fial',
    ]);
  });

  test('is silent about what a noqa comment of the entity or --ignore names, and about nothing else', () => {
    const text = (comment: string): string => `tools:\n  x:\n    ${comment}\n    cores: 2\n`;
    const codes = (comment: string, ...ignored: readonly string[]): readonly (string | null)[] =>
      findings(text(comment), ...ignored).map(({ code }) => code);
    expect(codes('# a comment')).toEqual(['T102']);
    expect(codes('# noqa')).toEqual([]);
    expect(codes('#noqa: T101, T102')).toEqual([]);
    expect(codes('# noqa: T101')).toEqual(['T102']);
    expect(codes('# a comment', 'T102')).toEqual([]);
  });

  test('a key that is no regular expression and a destination without runner are errors', () => {
    const text = "tools:\n  'a[': {mem: 1}\ndestinations:\n  d: {}\n  e: {abstract: true}\n";
    expect(findings(text).map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      'error: Failed to compile regex: a[',
      "error: Destination 'd' does not define the runner parameter. The runner parameter is mandatory.",
    ]);
  });
});

describe('state that TPV carries from one destination to the next', () => {
  const destination = (execute: string, more = ''): string =>
    `destinations:\n  a:\n    runner: r\n${more}    rules:\n` +
    `    - {id: r, if: true, execute: ${JSON.stringify(execute)}}\n  b: {runner: r}\n`;
  const giveUp =
    "from tpv.core.entities import TryNextDestinationOrFail\nraise TryNextDestinationOrFail('full')";
  const codes = (text: string): readonly (string | null)[] =>
    findings(text).map(({ code }) => code);

  test.each([
    ['an assignment', `entity.params['k'] = 1\n${giveUp}`, ''],
    ['a tag', `entity.tpv_tags.require.append('x')\n${giveUp}`, ''],
    ['a context variable', giveUp, '    context: {v: 1}\n'],
  ])('is reported when a rule may give up: %s', (_what, execute, more) => {
    expect(codes(destination(execute, more))).toEqual(['T201']);
  });

  test.each([
    ['nothing is left behind', `if entity.cores == 2:\n    pass\n${giveUp}`, ''],
    ['nobody gives up', "entity.params['k'] = 1", ''],
    ['it is silenced', `entity.cores = 1\n${giveUp}`, '    # noqa: T201\n'],
  ])('is not reported when %s', (_what, execute, more) => {
    const text = destination(execute, '').replace('  a:\n', `  a:\n${more}`);
    expect(codes(text)).toEqual([]);
  });

  test('is not reported when there is no next destination', () => {
    const text = destination(`entity.cores = 1\n${giveUp}`).replace('  b: {runner: r}\n', '');
    expect(codes(text)).toEqual([]);
  });
});

describe('invalid Python in a rule', () => {
  const rule = (lines: string): string =>
    `tools:\n  x:\n    mem: 1\n    rules:\n    - id: r\n${lines.replaceAll(/^/gm, '      ')}\n`;

  test.each([
    ['if', 'if: input_size >', 6, 23, 'input_size >\n            ^'],
    [
      'execute',
      'if: true\nexecute: |\n  entity.cores = 2\n  entity.mem = = 3',
      9,
      22,
      'entity.mem = = 3\n             ^',
    ],
    ['rank', "if: true\nrank: 'sorted(['", 7, 21, 'sorted([\n       ^'],
    ['cores', 'if: true\ncores: 1 +', 7, 17, '1 +\n   ^'],
    ['params', "if: true\nparams: {n: '{cores +}'}", 7, 28, '{cores +}\n        ^'],
    ['env', "if: true\nenv: {N: '{mem *}'}", 7, 23, '{mem *}\n      ^'],
    ['fail', "if: true\nfail: 'no {mem'", 7, 17, 'no {mem\n   ^'],
  ])(
    'is an error with its place, its entity and a caret: %s',
    (property, lines, line, column, excerpt) => {
      expect(findings(rule(lines), 'T103')).toEqual([
        {
          severity: 'error',
          code: null,
          message: expect.stringMatching(
            new RegExp(`^'${property}' of rule 'r' in 'rules' of tool 'x' is not Python: `),
          ),
          place: { file: 'rules.yml', line, column },
          entity: "rule 'r' in 'rules' of tool 'x'",
          excerpt,
        },
      ]);
    },
  );

  test.each([
    [
      'folded',
      'if: >\n  user and\n  input_size >',
      7,
      'user and input_size >\n                     ^',
    ],
    ['with escapes', 'if: true\nexecute: "a = 1\\nb ="', 7, 'b =\n   ^'],
  ])(
    'has the place where its text starts when its lines are not those of the file: %s',
    (_what, lines, line, excerpt) => {
      expect(findings(rule(lines))).toEqual([
        expect.objectContaining({ place: expect.objectContaining({ line }), excerpt }),
      ]);
    },
  );

  test('is not reported when a later file replaces it, as in TPV', () => {
    const report = (...texts: readonly string[]): LintReport =>
      lint(
        texts.map((text, index) => ({ name: `${index}.yml`, text })),
        new Set(),
      );
    const broken = rule('if: 1 +');
    expect(report(broken)).toMatchObject({ findings: [{ severity: 'error' }] });
    expect(report(broken, rule('if: 1 + 1'))).toMatchObject({ findings: [] });
  });
});

describe('an undefined name', () => {
  test.each([
    ['mem: input_sise', "'input_size'"],
    ['mem: entitty.mem', "'entity'"],
    ['mem: 1, rank: canddate_destinations', "'candidate_destinations'"],
    ['context: {site_limit: 1}, mem: site_limt', "'site_limit'"],
  ])('is reported with the one that was meant: %s', (entity, meant) => {
    expect(findings(`tools:\n  x: {${entity}}\n`)).toEqual([
      expect.objectContaining({ message: expect.stringMatching(`; did you mean ${meant}\\?$`) }),
    ]);
  });

  test('is reported without a guess when none is similar', () => {
    expect(findings('tools:\n  x: {mem: something_else}\n')).toEqual([
      expect.objectContaining({ message: expect.stringMatching('evaluated$') }),
    ]);
  });

  test('is reported where it stands, also in a block of several lines', () => {
    const text =
      "tools:\n  x:\n    mem: |\n      # no sise here\n      a = 'sise'\n      a and max(1, sise)\n";
    expect(findings(text)).toEqual([
      expect.objectContaining({ code: 'T103', place: { file: 'rules.yml', line: 6, column: 20 } }),
    ]);
  });
});
