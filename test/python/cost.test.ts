import { describe, expect, test } from '@jest/globals';
import { Fuel, FuelExhausted, PyError, compile } from '../../src/python/index.ts';

/** What an attack ends in, on a budget that a real snippet never needs. */
function outcome(source: string): string {
  try {
    compile(source, 'code').run(new Map(), { fuel: new Fuel(300_000) });
    return 'finished';
  } catch (error) {
    if (error instanceof FuelExhausted) return 'FuelExhausted';
    return error instanceof PyError ? error.className : `escaped: ${String(error)}`;
  }
}

const LOOPS = [
  'while True: pass\n0',
  'for i in range(10**12): pass\n0',
  'while True:\n    try:\n        while True: pass\n    except BaseException: pass\n    finally: pass\n0',
  'def f():\n    while True:\n        try: continue\n        finally: continue\nf()',
  'def f():\n    try:\n        while True: pass\n    finally:\n        return 1\nf()',
  'for x in [1]:\n    try:\n        while True: pass\n    finally:\n        break\n0',
  'x = [1]\nfor i in x: x.append(i)\nlen(x)',
  '[x for x in range(10**9)]',
  '{x for x in range(10**9)}',
  '{x: x for x in range(10**9)}',
  'sum(x for x in range(10**9))',
  'any(False for x in range(10**9))',
  'list(range(10**9))',
  'set(range(10**8))',
  'tuple(range(10**9))',
  'dict.fromkeys(range(10**8))',
  'sorted(range(10**8))',
  'max(range(10**9))',
  'sum(range(10**9))',
  'list(zip(range(10**9), range(10**9)))',
  'list(map(str, range(10**9)))',
  'list(filter(None, range(10**9)))',
  'list(enumerate(range(10**9)))',
  "','.join(str(x) for x in range(10**9))",
  'a, *b = range(10**9)\nb',
  'print(*range(10**9))',
  '[*range(10**9)]',
  '1 in (x * 2 for x in range(10**9))',
  'list(reversed(range(10**9)))',
  'def g():\n    while True: yield 1\nlist(g())',
  'def f(n): return f(n - 1) + f(n - 2) if n > 1 else n\nf(60)',
  "x = 'ab'\nfor i in range(10**6): x = x + x\nlen(x)",
  'x = [1]\nfor i in range(10**6): x = x + x\nlen(x)',
  'x = [1]\nfor i in range(10**6): x.extend(x)\nlen(x)',
  "'abc'.replace('', 'x' * 10**5) * 100",
  'pow(3, 10**10000, 10**10000 + 1)',
  'x = 3\nfor i in range(10**6): x = x * x\nx',
  "'{}'.format('x' * 10**6) * 1000",
];
const LONG_TEXTS = [
  'for i in range(10**6): x.lower()',
  'for i in range(10**6): x[i]',
  'for i in range(10**6): len(x)',
  "y = 'a' * 10**7\nfor i in range(10**6): x == y",
  "y = 'a' * 10**7\nfor i in range(10**6): x < y",
  "for i in range(10**6): 'b' in x",
  "for i in range(10**6): x.split('b')",
  'for i in range(10**6): repr(x)',
  'for i in range(10**6): {(x, i): 1}',
  "for i in range(10**6): f'{x}'",
  "for i in range(10**6): '%s' % x",
  "import re\nfor i in range(10**6): re.search('b', x)",
  'import json\nfor i in range(10**6): json.dumps(x)',
];
const MEMORY = [
  "'x' * 10**10",
  '[0] * 10**9',
  '(0,) * 10**9',
  "'x'.ljust(10**9)",
  "'x'.center(10**9)",
  "'x'.zfill(10**9)",
  "'\\t'.expandtabs(10**9)",
  "f'{1:{10**8}}'",
  "format(1, '100000000')",
  "'%100000000d' % 1",
  "'%*d' % (10**8, 1)",
  "('x' * 10**6).replace('x', 'y' * 10**4)",
  "('x' * 10**4).join(['a'] * 10**4)",
];
const OVERFLOW = [
  '2 ** 10**8',
  '10 ** 10**8',
  '1 << 10**9',
  '(2**199999) * (2**199999)',
  '2 ** 2 ** 2 ** 2 ** 2 ** 2',
  'int("9" * 60001, 16)',
];

describe('the cost of a snippet', () => {
  test.each(LOOPS)(
    'a snippet that never ends, or takes too long, runs out of fuel: %s',
    (source) => {
      expect(['FuelExhausted', 'MemoryError', 'OverflowError']).toContain(outcome(source));
    },
  );
  test.each(LONG_TEXTS)('reading a long text pays for its length: %s', (source) => {
    expect(outcome(`x = 'a' * 10**7\n${source}\n0`)).toBe('FuelExhausted');
  });
  test.each(MEMORY)('a value too large to hold is refused before it is made: %s', (source) => {
    expect(['MemoryError', 'FuelExhausted', 'ValueError']).toContain(outcome(source));
  });
  test.each(OVERFLOW)('an int of more than 200,000 bits is refused: %s', (source) => {
    expect(outcome(source)).toBe('OverflowError');
  });
  test('an int of more than 4,300 digits is not printed, as in CPython', () => {
    expect(outcome('str(10 ** 5000)')).toBe('ValueError');
    expect(outcome("int('9' * 5000)")).toBe('ValueError');
    expect(outcome("f'{10 ** 5000}'")).toBe('ValueError');
  });
  test('what CPython answers at once is answered at once', () => {
    const quick = [
      '10**12 in range(10**15)',
      'len(range(10**15))',
      'range(10**12)[::-1][5]',
      'round(5, -10**9)',
      'round(5.5, 10**9)',
      'round(5.5, -10**9)',
      '[][10**9:]',
    ];
    expect(quick.map((source) => outcome(source))).toEqual(quick.map(() => 'finished'));
  });
  test('endless recursion of any kind is a RecursionError that Python code may catch', () => {
    const sources = [
      'def f(): return f()\nf()',
      '(lambda f: f(f))(lambda f: f(f))',
      'class A:\n    def __getattr__(self, n): return getattr(self, n)\nA().x',
      'class A:\n    def __eq__(self, o): return self == o\nA() == A()',
      'class A:\n    def __repr__(self): return repr(self)\nrepr(A())',
      'class A:\n    def __add__(self, o): return self + o\nA() + 1',
      'class A:\n    def __call__(self): return self()\nA()()',
      'x = []\nfor i in range(5000): x = [x]\nrepr(x)',
      'x = []\ny = []\nfor i in range(5000):\n    x = [x]\n    y = [y]\nx == y',
      'def g():\n    yield from g()\nlist(g())',
      'x = ()\nfor i in range(20000): x = (x,)\nhash(x)',
    ];
    expect(sources.map((source) => [source, outcome(source)])).toEqual(
      sources.map((source) => [source, 'RecursionError']),
    );
    expect(outcome('def f(): return f()\ntry:\n    f()\nexcept RecursionError:\n    pass\n1')).toBe(
      'finished',
    );
  });
  test('fuel that one run used is gone for the next one that shares it', () => {
    const fuel = new Fuel(1000);
    const program = compile('sum(range(400))', 'code');
    program.run(new Map(), { fuel });
    expect(fuel.left).toBeLessThan(700);
    program.run(new Map(), { fuel });
    expect(() => program.run(new Map(), { fuel })).toThrow(FuelExhausted);
  });
  test('a snippet that runs out of fuel leaves the next one intact', () => {
    expect(outcome('while True: pass\n0')).toBe('FuelExhausted');
    expect(outcome('sum(range(100))')).toBe('finished');
  });
});
