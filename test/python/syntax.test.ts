import { describe, expect, test } from '@jest/globals';
import { PySyntaxError, compile } from '../../src/python/index.ts';

/** Line, column and text of the error, or `accepted`. */
function judged(source: string, kind: 'code' | 'exec' | 'fstring' = 'exec'): string {
  try {
    compile(source, kind);
    return 'accepted';
  } catch (error) {
    return error instanceof PySyntaxError
      ? `${error.line}:${error.column} ${error.message}`
      : `not a PySyntaxError: ${String(error)}`;
  }
}

const ACCEPTED = [
  'x = 1;',
  'if x: pass',
  'if x:\n  pass\nelif y:\n\tpass\nelse: pass',
  'x = (1,\n2)',
  'x = [1,\n\n# c\n2,]',
  'def f(a, /, b=1, *c, d, e=2, **f): pass',
  'def f(*, a): pass',
  'lambda *a, **k: 0',
  'lambda: (yield)',
  '@a.b(c)\n@d\ndef f(): pass',
  'class A(B, C): x = 1',
  'with a as b, c as d: pass',
  'with (a as b, c): pass',
  'with (a): pass',
  'with (a, b) as c: pass',
  'try:\n  pass\nexcept (A, B) as e:\n  pass',
  'x: int',
  'x.y: int = 5',
  'a = b = c',
  'a, = b',
  '(a, b), c = d',
  '*a, b = c',
  'for a, in b: pass',
  'for (a, b) in c: pass',
  'for x in *a, b: pass',
  'return_ = 1',
  'print(*a, *b, k=1, **c, **d)',
  'x[1:2, ::3]',
  'x[a:=1]',
  'x[*a]',
  'f(a for a in b)',
  'f(x := 1)',
  '(x := 1)',
  'not not x',
  '- - x',
  'x if y else z if w else v',
  'a < b is not c not in d',
  'match = 1',
  'type = 2\ntype',
  'match[1]',
  'match(x)',
  '_ = 0xFF_FF',
  "'a' f'{b}' r'c'",
  "f'{a!r:>{w}}'",
  "f'{x:%Y-%m}'",
  'f\'{a["b"]}\'',
  "f'{a['b']}'",
  "f'{'nested ' + f'{1}'}'",
  "f'{x = }'",
  "f'{\n1\n}'",
  "f'{lambda_}'",
  "f'{(lambda: 1)()}'",
  'del a, b[0], c.d',
  'global x',
  'assert x, y',
  'raise',
  'raise a from b',
  'import a.b.c as d, e',
  'from a.b import (c as d, e,)',
  'x = yield_',
  'def f():\n  x = yield\n  yield x, 1\n  return *a, b',
  'é = 1',
  '变量 = 2\n变量',
  'if x:\n\n  # c\n  pass\n# d\n  pass',
  'def f():\n  global g\n  g = 1',
  'x = 1 if a else lambda: 2',
  '"""doc"""',
  'x = "a\\\nb"',
  'a = 1 ; b = 2',
  'async_ = 1',
  '{**a, "b": 1}',
  '{*a, *b}',
  '1if 1else 2',
  'x = 0o17',
  '...',
];

const REJECTED: readonly (readonly [string, string])[] = [
  ['1 +', '1:4 expected an expression, not the end of the line'],
  ['(1', "1:1 '(' was never closed"],
  ['1)', "1:2 unmatched ')'"],
  ['(1]', "1:3 closing parenthesis ']' does not match opening parenthesis '('"],
  ["'abc", '1:1 unterminated string literal'],
  ["'''abc", '1:1 unterminated triple-quoted string literal'],
  ['f() = 1', '1:1 cannot assign to function call'],
  ['1 = x', '1:1 cannot assign to literal'],
  ['None = 1', '1:1 cannot assign to None'],
  ['x + 1 = 2', '1:1 cannot assign to expression'],
  ['(a, 1) = x', '1:5 cannot assign to literal'],
  ['f(x) += 1', "1:1 'function call' is an illegal expression for augmented assignment"],
  ['*a, *b = c', '1:1 multiple starred expressions in assignment'],
  ['*a', "1:1 can't use starred expression here"],
  ['print x', "1:7 invalid syntax: unexpected 'x'"],
  ['if x\n  pass', "1:5 expected ':' after the condition of 'if'"],
  ['if x:\npass', "2:1 expected an indented block after the condition of 'if'"],
  ['  x', '1:3 unexpected indent'],
  ['if x:\n    a\n  b', '3:3 unindent does not match any outer indentation level'],
  ['if x:\n\ta\n        b', '3:9 inconsistent use of tabs and spaces in indentation'],
  ['x = 1\n  y = 2', '2:3 unexpected indent'],
  ['else: pass', "1:1 invalid syntax: unexpected 'else'"],
  ['return 1', "1:1 'return' outside function"],
  ['yield 1', "1:1 'yield' outside function"],
  ['break', "1:1 'break' outside loop"],
  ['continue', "1:1 'continue' not properly in loop"],
  ['for x in y:\n  def f(): break', "2:12 'break' outside loop"],
  ['def f(a, a): pass', "1:10 duplicate argument 'a' in function definition"],
  ['def f(a=1, b): pass', '1:12 parameter without a default follows parameter with a default'],
  ['def f(*): pass', '1:7 named arguments must follow bare *'],
  ['f(a=1, 2)', '1:8 positional argument follows keyword argument'],
  ['f(a=1, a=2)', '1:8 keyword argument repeated: a'],
  ['f(**a, *b)', '1:8 iterable argument unpacking follows keyword argument unpacking'],
  ['f(1=2)', '1:3 expression cannot contain assignment, perhaps you meant "=="?'],
  ['f(a for a in b, c)', '1:3 Generator expression must be parenthesized'],
  ['x = y := 1', "1:7 invalid syntax: unexpected ':='"],
  ['[*a for a in b]', '1:2 iterable unpacking cannot be used in comprehension'],
  ['try: pass', "1:10 expected 'except' or 'finally' block"],
  ['try: pass\nexcept: pass\nexcept A: pass', "3:1 default 'except:' must be last"],
  ['try: pass\nexcept A, B: pass', '2:9 multiple exception types must be parenthesized'],
  ['1__0', '1:1 invalid decimal literal'],
  ['1x', '1:1 invalid decimal literal'],
  [
    '012',
    '1:1 leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers',
  ],
  ['x = $', '1:5 invalid character "$"'],
  ['a ! b', "1:3 invalid syntax: '!'"],
  ['a <> b', "1:4 invalid syntax: unexpected '>'"],
  ['x \\ y', '1:3 unexpected character after line continuation character'],
  [
    'lambda x: yield',
    "1:11 'yield' is only allowed in parentheses, in an assignment or as a statement",
  ],
  ['a if b', "1:1 expected 'else' after 'if' expression"],
  ['def f():\n  nonlocal q', "1:1 no binding for nonlocal 'q' found"],
  ['nonlocal x', '1:1 nonlocal declaration not allowed at module level'],
  ['def f(): [(yield) for x in y]', "1:12 'yield' inside a comprehension"],
  ["f'{'", "1:3 f-string: expecting '}'"],
  ["f'{}'", "1:3 f-string: valid expression required before '}'"],
  ["f'}'", "1:3 f-string: single '}' is not allowed"],
  ["f'{a!x}'", "1:5 f-string: invalid conversion character 'x': expected 's', 'r', or 'a'"],
  ["f'{a b}'", '1:6 f-string: invalid syntax: expecting "=", "!", ":" or "}"'],
  ["ur'a'", "1:1 invalid string prefix 'ur'"],
  ['del f()', '1:5 cannot delete function call'],
  ['a.1', '1:2 invalid syntax: unexpected the number 0.1'],
  ['x.class', "1:3 expected an attribute name after '.', not 'class'"],
  ['import a as b.c', "1:14 invalid syntax: unexpected '.'"],
  ['{1: 2, 3}', "1:9 expected ':' after dictionary key, not '}'"],
  ['{1, 2: 3}', "1:6 expected '}' at the end of the set, not ':'"],
];

const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ["b'x'", '1:1 bytes literals are not supported'],
  ['1j', '1:1 complex numbers are not supported'],
  ['async def f(): pass', "1:1 'async' is not supported"],
  ['def f(): await x', "1:10 'await' is not supported"],
  ['[x async for x in y]', "1:4 'async' is not supported"],
  ['match x:\n  case 1: pass', "1:1 the 'match' statement is not supported"],
  ['match (x):\n  case 1: pass', "1:1 the 'match' statement is not supported"],
  ['type X = int', "1:1 the 'type' statement is not supported"],
  ['from a import *', "1:15 'import *' is not supported: name what you import"],
  ['from . import a', '1:1 relative imports are not supported: a rule file is in no package'],
  ['try: pass\nexcept* A: pass', "2:1 'except*' is not supported"],
  ['class A:\n    def __del__(self): pass', "2:5 the special method '__del__' is not supported"],
  ['class A:\n    __reduce__ = f', "2:5 the special method '__reduce__' is not supported"],
  ['class A(*b): pass', '1:1 starred arguments of a class are not supported'],
  ['class A(metaclass=B): pass', "1:1 the 'metaclass' of a class is not supported"],
  ['def f[T](x): pass', '1:6 type parameters are not supported'],
  ["'\\N{DASH}'", '1:3 named characters (\\N{...}) are not supported'],
];

describe('the grammar', () => {
  test.each(ACCEPTED)('accepts %s', (source) => {
    expect(judged(source)).toBe('accepted');
  });
  test.each(REJECTED)('rejects %s with line, column and reason', (source, expected) => {
    expect(judged(source)).toBe(expected);
  });
  test.each(UNSUPPORTED)('says at load that it does not run %s', (source, expected) => {
    expect(judged(source)).toBe(expected);
  });

  test('code must end in an expression, whose value is the result', () => {
    expect(judged('x = 1\nx', 'code')).toBe('accepted');
    expect(judged('1\nx = 1', 'code')).toBe(
      '2:1 the last statement must be an expression: its value is the result',
    );
    expect(judged('', 'code')).toBe('1:1 expected an expression, not an empty text');
    expect(judged('# only a comment', 'code')).toBe(
      '1:1 expected an expression, not an empty text',
    );
    expect(judged('', 'exec')).toBe('accepted');
  });
  test('an f-string is checked as TPV wraps it, with columns of the text itself', () => {
    expect(judged('{a}/{b}', 'fstring')).toBe('accepted');
    expect(judged("ends in a quote'", 'fstring')).toMatch(/unterminated/);
    expect(judged("'starts with one", 'fstring')).toBe('accepted');
    expect(judged('{a +}', 'fstring')).toBe('1:5 expected an expression, not the end of the line');
    expect(judged('x\n {a b}', 'fstring')).toBe(
      '2:5 f-string: invalid syntax: expecting "=", "!", ":" or "}"',
    );
    expect(judged('{', 'fstring')).toMatch(/^1:1 /);
  });
  test('text that is nested or chained without end is refused, and does not crash', () => {
    const deep = 20_000;
    const attacks = [
      '('.repeat(deep),
      '['.repeat(deep) + ']'.repeat(deep),
      '-'.repeat(deep) + '1',
      'not '.repeat(deep) + '1',
      '1' + '+1'.repeat(deep),
      'a' + '.b'.repeat(deep),
      'f' + '()'.repeat(deep),
      'x' + '[0]'.repeat(deep),
      '1' + ' if 1 else 1'.repeat(deep / 4),
      'lambda: '.repeat(deep / 4) + '1',
      '2' + '**2'.repeat(deep),
      'a' + '<a'.repeat(deep),
      "f'{".repeat(5000),
      'if x: pass\n' + 'elif x: pass\n'.repeat(5000),
      'x and '.repeat(deep / 4) + 'x',
      '(x := '.repeat(3000),
      '@a\n'.repeat(20) + 'x',
      Array.from({ length: 120 }, (_, i) => `${' '.repeat(i)}if x:\n`).join('') +
        `${' '.repeat(121)}pass`,
      'x'.repeat(100_001),
      '{'.repeat(deep),
      'a = '.repeat(deep) + '1'.repeat(5000),
    ];
    for (const attack of attacks) expect(judged(attack)).toMatch(/^\d+:\d+ /);
  });
});
