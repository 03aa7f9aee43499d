import { describe, expect, test } from '@jest/globals';
import {
  Fuel,
  PyDict,
  PyError,
  PyFloat,
  PyList,
  PyModule,
  PyTuple,
  asNumber,
  builtinNames,
  call,
  compare,
  comparePackageVersions,
  compile,
  defineClass,
  equals,
  exceptionClass,
  float,
  integer,
  items,
  nativeFunction,
  raise,
  repr,
  str,
  translateRegex,
  truthy,
  typeName,
} from '../../src/python/index.ts';
import type { RunOptions, Value } from '../../src/python/index.ts';
import type { SnippetGrammar } from '../../src/python/program.ts';

function shown(...args: Parameters<typeof run>): string {
  return repr(run(...args));
}

function run(
  source: string,
  scope: Record<string, Value> = {},
  kind: SnippetGrammar = 'code',
  options: Partial<RunOptions> = {},
): Value {
  return compile(source, kind).run(new Map(Object.entries(scope)), {
    fuel: new Fuel(1_000_000),
    ...options,
  });
}

function failure(...args: Parameters<typeof run>): PyError {
  try {
    run(...args);
  } catch (error) {
    if (error instanceof PyError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('a program', () => {
  test('has as names what a snippet reads before it binds it', () => {
    const names = (source: string, kind: SnippetGrammar = 'code'): string[] =>
      [...compile(source, kind).names].toSorted();
    expect(names('cores * 4')).toEqual(['cores']);
    expect(names('x = mem\ny = x\ny + z')).toEqual(['mem', 'z']);
    expect(names('mem = mem * 2\nmem')).toEqual(['mem']);
    expect(names('[a for a in b if c(a)]')).toEqual(['b', 'c']);
    expect(names('def f(x): return x + input_size\nf(1)')).toEqual(['input_size']);
    expect(names('{cores}/{tool.id}', 'fstring')).toEqual(['cores', 'tool']);
    expect(names('max(1, 2)')).toEqual(['max']);
    expect(builtinNames.has('max')).toBe(true);
    expect(builtinNames.has('cores')).toBe(false);
  });
  test('starts afresh at every run and leaves the scope alone', () => {
    const program = compile('x = x + 1\nx', 'code');
    const scope = new Map<string, Value>([['x', 1]]);
    expect(program.run(scope, { fuel: new Fuel(100) })).toBe(2);
    expect(program.run(scope, { fuel: new Fuel(100) })).toBe(2);
    expect(scope.get('x')).toBe(1);
  });
  test('lets a scope name hide a built-in, even when it is None', () => {
    expect(shown('max', { max: 5 })).toBe('5');
    expect(shown('id is None', { id: null })).toBe('True');
    expect(shown('len(max)', { max: 'abc' })).toBe('3');
  });
  test('gives None for exec, and its effects on objects stay', () => {
    const list = new PyList([1]);
    expect(run('items.append(2)', { items: list }, 'exec')).toBe(null);
    expect(repr(list)).toBe('[1, 2]');
  });
  test('shows the scope and what was assigned in locals()', () => {
    expect(shown("y = 2\nsorted(locals()), 'gpus' in locals(), locals()['y']", { cores: 1 })).toBe(
      "(['cores', 'y'], False, 2)",
    );
    expect(shown('def f(a):\n    b = 2\n    return locals()\nf(1)')).toBe("{'a': 1, 'b': 2}");
  });
  test('names the line of an error', () => {
    expect(failure('x = 1\ny = 2\n\nnope + x')).toMatchObject({
      line: 4,
      className: 'NameError',
      message: "name 'nope' is not defined",
    });
    expect(failure('def f():\n    a = 1\n    return a.b\nf()').line).toBe(3);
  });
  test('wraps an f-string as TPV wraps it', () => {
    expect(
      run(
        '--mem={mem} {{x}} \\n {d["k"]}',
        { mem: float(8), d: new PyDict([['k', 'v']]) },
        'fstring',
      ),
    ).toBe('--mem=8.0 {x} \n v');
    expect(run("'quoted", {}, 'fstring')).toBe("'quoted");
    expect(run('{x!r:>5}|{y=}', { x: 'a', y: 1 }, 'fstring')).toBe("  'a'|y=1");
    expect(run("{'a' if x else 'b'}{{}}", { x: 0 }, 'fstring')).toBe('b{}');
    expect(run('two\nlines {1\n+ 1}', {}, 'fstring')).toBe('two\nlines 2');
    expect(run("{f'{1}' + '2'}", {}, 'fstring')).toBe('12');
  });
});

describe('numbers between Python and JavaScript', () => {
  test('stay a float or an int', () => {
    expect(repr(float(8))).toBe('8.0');
    expect(float(8)).toBeInstanceOf(PyFloat);
    expect(float(7.5)).toBe(7.5);
    expect(shown('cores * 2, mem * 2, mem / 2, cores + mem', { cores: 4, mem: float(8) })).toBe(
      '(8, 16.0, 4.0, 12.0)',
    );
    expect(repr(integer(2n ** 60n))).toBe('1152921504606846976');
    expect(integer(5n)).toBe(5);
  });
  test('reach schedulers as JavaScript numbers', () => {
    expect([4, float(4), 2.5, true, 2n ** 60n, 'x', null].map((v) => asNumber(v))).toEqual([
      4,
      4,
      2.5,
      1,
      2 ** 60,
      undefined,
      undefined,
    ]);
  });
  test('compare, convert and read as in Python', () => {
    expect(equals(1, float(1))).toBe(true);
    expect(compare(float(2), 3)).toBe(-1);
    expect([0, '', null, float(0), new PyList([]), 'x'].map((v) => truthy(v))).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(str('a')).toBe('a');
    expect(items(new PyTuple([1, 2]))).toEqual([1, 2]);
    expect(typeName(float(1))).toBe('float');
  });
  test('are added one by one by sum, as up to Python 3.11', () => {
    expect(shown('sum([0.1] * 10)')).toBe('0.9999999999999999');
  });
});

describe('time and randomness come from the embedder', () => {
  test('random draws from the source of the evaluation', () => {
    const zero = { random: (): number => 0 };
    expect(
      shown(
        'import random\nrandom.random(), random.randint(3, 9), random.choice("xyz"), ' +
          'random.sample([1, 2, 3], 2), random.uniform(2, 3)',
        {},
        'code',
        zero,
      ),
    ).toBe("(0.0, 3, 'x', [1, 2], 2.0)");
    expect(
      shown('from random import SystemRandom\nSystemRandom().randint(1, 5)', {}, 'code', {
        random: () => 0.99,
      }),
    ).toBe('5');
    expect(failure('import random\nrandom.random()').className).toBe('NotImplementedError');
  });
  test('random.seed lasts for one evaluation only', () => {
    const options = { random: (): number => 0.5 };
    expect(shown('import random\nrandom.seed(1)\nrandom.random()', {}, 'code', options)).toBe(
      '0.13436424411240122',
    );
    expect(shown('import random\nrandom.random()', {}, 'code', options)).toBe('0.5');
  });
  test('now is the clock of the evaluation, in UTC', () => {
    const options = { now: (): number => Date.UTC(2024, 1, 29, 12, 30, 15, 250) };
    expect(
      shown(
        'from datetime import datetime, date\nstr(datetime.now()), date.today(), datetime.utcnow().weekday()',
        {},
        'code',
        options,
      ),
    ).toBe("('2024-02-29 12:30:15.250000', datetime.date(2024, 2, 29), 3)");
    expect(shown('import time\ntime.time()', {}, 'code', options)).toBe('1709209815.25');
    expect(failure('import time\ntime.time()').className).toBe('NotImplementedError');
  });
});

describe('an embedder', () => {
  type Tool = { id: string; cores: Value };
  const tools = defineClass<Tool>({
    name: 'Tool',
    attributes: {
      id: { get: (self) => self.id },
      cores: {
        get: (self) => self.cores,
        set: (self, v) => {
          self.cores = v;
        },
      },
    },
    methods: {
      'scaled(by, /, plus=)': (self, by: Value, plus) =>
        float((asNumber(self.cores) ?? 0) * (asNumber(by) ?? 0) + (asNumber(plus ?? 0) ?? 0)),
    },
    equals: (self, other) => (typeof other === 'string' ? self.id === other : undefined),
    repr: (self) => `<Tool ${self.id}>`,
    construct: ([id]) => ({ id: str(id ?? ''), cores: 1 }),
  });

  test('shows host objects through a table of attributes and methods', () => {
    const target = { id: 'bwa', cores: 4 };
    const tool = tools.wrap(target);
    expect(
      shown(
        'tool.cores = tool.cores * 2\n' +
          '(tool.id, tool.scaled(2), tool.scaled(1, plus=5), tool, tool == "bwa", f"{tool}")',
        { tool },
      ),
    ).toBe("('bwa', 16.0, 13.0, <Tool bwa>, True, '<Tool bwa>')");
    expect(target.cores).toBe(8);
    expect(tools.unwrap(tool)).toBe(target);
    expect(tools.unwrap('x')).toBe(undefined);
    expect(failure('tool.id = 1\n0', { tool }).message).toBe(
      "'Tool' object attribute 'id' cannot be set",
    );
    expect(failure('tool.nope', { tool }).message).toBe("'Tool' object has no attribute 'nope'");
    expect(failure('tool.scaled()', { tool }).className).toBe('TypeError');
    expect(shown('isinstance(T("x"), T), T("x").id', { T: tools.cls })).toBe("(True, 'x')");
  });
  test('adds modules, functions and exception classes, and gets its own exceptions back', () => {
    const notReady = exceptionClass('JobNotReadyException');
    const modules = new Map<string, Value>([
      [
        'galaxy.jobs.mapper',
        new PyModule('galaxy.jobs.mapper', [
          ['JobNotReadyException', notReady],
          ['double', nativeFunction('double(x, /)', (x: Value) => (asNumber(x) ?? 0) * 2)],
        ]),
      ],
      ['os', new PyModule('os', [['answer', 42]])],
    ]);
    expect(shown('from galaxy.jobs.mapper import double\ndouble(4)', {}, 'code', { modules })).toBe(
      '8',
    );
    expect(shown('import os\nos.answer', {}, 'code', { modules })).toBe('42');
    const error = failure(
      "from galaxy.jobs.mapper import JobNotReadyException\nraise JobNotReadyException('later', 5)",
      {},
      'exec',
      { modules },
    );
    expect(error).toMatchObject({ className: 'JobNotReadyException', message: "('later', 5)" });
    expect(error.value.cls).toBe(notReady);
    expect(
      shown('try:\n    raise E("x")\nexcept E as e:\n    r = str(e)\nr', { E: notReady }),
    ).toBe("'x'");
  });
  test('raises Python exceptions from host functions, which Python code catches', () => {
    const fail = nativeFunction('fail()', () => raise('OSError', 'no such thing'));
    expect(shown('try:\n    fail()\nexcept IOError as e:\n    r = str(e)\nr', { fail })).toBe(
      "'no such thing'",
    );
    expect(failure('fail()', { fail })).toMatchObject({
      className: 'OSError',
      message: 'no such thing',
    });
  });
  test('calls what a snippet gives it', () => {
    const fn = run('lambda x, y=2: x * y');
    expect(call(fn, [4])).toBe(8);
    expect(call(fn, [4], new Map([['y', 5]]))).toBe(20);
  });
  test('a defect of a host function surfaces as a Python exception', () => {
    const broken = nativeFunction('broken()', () => {
      throw new TypeError('a bug');
    });
    expect(failure('broken()', { broken })).toMatchObject({
      className: 'SystemError',
      message: 'internal error: a bug',
    });
  });
  test('reads versions as PEP 440 says and regular expressions as Python does', () => {
    expect(comparePackageVersions('2.1.0+galaxy10', '2.1.0+galaxy9')).toBe(-1);
    expect(comparePackageVersions('1.0', 'v1.0.0')).toBe(0);
    expect(comparePackageVersions('1.0rc1', '1.0')).toBe(-1);
    expect(comparePackageVersions('1.0', 'latest')).toBe(undefined);
    const plain = {
      ignoreCase: false,
      multiline: false,
      dotAll: false,
      verbose: false,
      ascii: false,
    };
    expect(new RegExp(translateRegex('a.b$', plain).source, 'u').test('a\rb\n')).toBe(true);
    expect(() => translateRegex('bwa[0-9]^++', plain)).toThrow(/repeat|possessive/);
    expect(() => translateRegex('a++', plain)).toThrow(
      'possessive quantifiers are not supported at position 2',
    );
    expect(() => translateRegex('bwa\\', plain)).toThrow(
      'bad escape (end of pattern) at position 3',
    );
  });
});

describe('modules that reach outside', () => {
  test.each([
    ['requests.get("http://x")', 'OSError'],
    ['requests.post("http://x")', 'requests.exceptions.RequestException'],
    ['os.path.getsize("/x")', 'OSError'],
    ['os.listdir("/")', 'OSError'],
    ['psycopg2.connect("x")', 'psycopg2.OperationalError'],
    ['sqlalchemy.create_engine("x")', 'sqlalchemy.exc.SQLAlchemyError'],
    ['pathlib.Path("x").read_text()', 'OSError'],
    ['subprocess.run(["ls"])', 'OSError'],
    ['open("x")', 'OSError'],
  ])('%s can be imported, and raises an exception that code catches as %s', (source, exception) => {
    const imports =
      'import os, requests, psycopg2, sqlalchemy, pathlib, subprocess, sqlalchemy.exc, requests.exceptions\n';
    expect(
      shown(`${imports}try:\n    ${source}\nexcept ${exception} as e:\n    r = 'caught'\nr`),
    ).toBe("'caught'");
  });
  test('an unknown module is the ImportError CPython raises', () => {
    expect(failure('import site_local.thing', {}, 'exec')).toMatchObject({
      className: 'ModuleNotFoundError',
      message: "No module named 'site_local.thing'",
    });
    expect(failure('from math import nope', {}, 'exec')).toMatchObject({
      className: 'ImportError',
      message: "cannot import name 'nope' from 'math' (unknown location)",
    });
  });
  test('packaging.version orders as PEP 440 says', () => {
    const source =
      'from packaging.version import parse, Version\n' +
      'vs = ["1.0.dev1", "1.0a1", "1.0b2", "1.0rc1", "1.0", "1.0+local", ' +
      '"1.0.post1", "1.1", "1!0.1"]\n';
    expect(
      shown(
        `${source}[str(v) for v in sorted(map(parse, reversed(vs)))] == vs, ` +
          'Version("1.2.3").release, Version("1.0") == parse("v1"), ' +
          'parse("2.0rc1").is_prerelease',
      ),
    ).toBe('(True, (1, 2, 3), True, True)');
    expect(failure(`${source}parse("nope")`)).toMatchObject({
      className: 'InvalidVersion',
      message: "Invalid version: 'nope'",
    });
  });
});
