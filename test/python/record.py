"""Records what CPython answers to the snippets below, into recorded.json: python3 test/python/record.py

Each row is [snippet, outcome]: the repr of the final expression, or 'Class: text' of the exception that escaped.
A row of MODULES has its lines separated by ` | `, and `..` for an indent.
Only what is the same in 3.9 to 3.13 belongs here; the order of sets is not.
"""
import ast
import json
import pathlib

NUMBERS = ['0', '7', '-7', 'True', '2.5', '-2.5', '8.0', '-0.0', '9007199254740993', '1e300']
BINARY = ['+', '-', '*', '/', '//', '%', '**', '<', '<=', '==', '!=', '&', '<<']
FORMATS = ['', 'd', '5', '<8', '>8', '^8', '=+8', '*^9', '08', '+', ' ', ',', '_', '.2f', '.0f', '10.3f', 'e', '.3e', 'g', '.3g', '.10g', '%', '.1%', 'x', '#x', 'b', '#o', 'c', 's', 'n', '08,', ',.2f', '+.1f']
FORMATTED = ['42', '-42', '3.14159', '0.5', '2.5', '1234567.891', '1e20', '1e-7', 'True', '0.0', '-0.0', '"abc"']

EXPRESSIONS = r'''
1 < 2 < 3
1 < 3 < 2
1 == 1.0 == True
3 > 2 >= 2 != 1
not 1 or 2
0 or [] or 'x'
1 and 2 and 3
None or 0
1 if [] else 2
(lambda x, y=2, *a, k=3, **kw: (x, y, a, k, kw))(1, 5, 6, k=7, z=8)
[*range(3), *'ab']
{**{'a': 1}, 'b': 2, **{'a': 3}}
(1,) + (2, 3)
[1, 2] * 2
3 * 'ab'
-2 ** 2
2 ** -1
2 ** 3 ** 2
~5
+True
-(-3)
10 // 3, -10 // 3, 10 // -3, 10 % -3, -10 % 3
7.5 // 2, -7.5 // 2, 7.5 % -2
divmod(-7, 2), divmod(7.5, -2)
1 / 3
10 / 5
2 ** 0.5
2 ** 64, 2 ** 63 - 1
-(2 ** 64)
2 ** 100 // 3 ** 20
(2 ** 100) % 97
2 ** 200 / 2 ** 198
(2 ** 70) / 3
9007199254740992 + 1
9007199254740991 * 3
9007199254740993 - 9007199254740992
1 << 70
-1 >> 3
(1 << 70) >> 68
5 & 3, 5 | 3, 5 ^ 3
True & False, True | False, True ^ True
round(0.5), round(1.5), round(2.5), round(-0.5), round(-1.5)
round(2.675, 2), round(1.005, 2), round(0.125, 2), round(0.375, 2)
round(1234, -2), round(1250, -2), round(1350, -2), round(-1250, -2)
round(1234.5678, -2), round(5.0), round(5.5, 0)
round(1e300), round(True)
int(3.9), int(-3.9), int('12'), int(' 7 '), int('-0'), int(True), int('1_000')
int('ff', 16), int('0xff', 16), int('0b11', 0), int('z', 36)
float('1.5'), float(' inf '), float('-nan'), float('1e3'), float(3), float('1_0.5')
0.1 + 0.2
1e16, 1e15, 123456789012345680.0, 1e-4, 1e-5, 0.00012345
1e22, 1e21, 5e-324, 1.7976931348623157e308
float('inf'), float('-inf'), float('nan')
8.0, -0.0, 100.0, 1.0e5
3.0 == 3, 0.1 + 0.2 == 0.3
10 ** 20, 10 ** 16 + 0.0
1e400, -1e400
abs(-5), abs(-5.0), abs(True), abs(-2.5)
max(1, 2.0, 2), max([3, 1]), min('b', 'a'), max(8.0, 8), max(8, 8.0)
max([], default=0), min([1, 2], key=lambda x: -x)
sum([1, 2, 3]), sum([1.5, 2]), sum([[1], [2]], [])
sum([]), sum([0.5, 0.25]), sum(range(10), 5)
any([]), all([]), any([0, '']), all([1, 'a'])
any(x > 2 for x in [1, 2, 3])
all(x > 2 for x in [1, 2, 3])
len('abc'), len([1]), len({}), len(range(5)), len({1, 2})
len('\U0001F600x')
'\U0001F600xyz'[1], '\U0001F600xyz'[::-1]
sorted([3, 1, 2]), sorted('bca', reverse=True), sorted([1, 2, 3], key=lambda x: -x)
sorted([(1, 'b'), (1, 'a'), (0, 'z')])
sorted({'b': 1, 'a': 2})
list(reversed([1, 2, 3])), list(reversed('abc')), list(reversed(range(4)))
list(zip([1, 2], 'ab', (True, False)))
list(map(lambda x, y: x + y, [1, 2], [3, 4]))
list(filter(None, [0, 1, '', 'a']))
list(enumerate('ab', 1))
list(range(5)), list(range(2, 8, 3)), list(range(5, 0, -2))
range(3), range(1, 10, 2), range(0)
range(10)[2:8:2], range(10)[-1], 5 in range(10), 5.5 in range(10)
range(3) == range(0, 3, 1)
isinstance(1, int), isinstance(True, int), isinstance(1.0, int), isinstance('a', (int, str))
isinstance([], list), isinstance((), tuple), isinstance(None, type(None))
issubclass(bool, int), issubclass(KeyError, LookupError)
type(1).__name__, type('').__name__, type(1.0).__name__, type(None).__name__
str(1), str(1.0), str(None), str([1, 'a']), str(True)
repr('it\'s'), repr("a\"b"), repr('\n\t\\'), repr('\x00\x7f\xe9'), repr("'\"")
[1, 'a', None, True, 2.0, (1,), {'k': []}]
{1: 'a', 1.0: 'b', True: 'c'}
{'a': 1}['a']
{1, 1.0, True}
{(1, 2): 'x'}[(1, 2)]
{(1, (2, 3)): 'x'}[1, (2, 3)]
[x for x in range(3)]
[x * y for x in range(3) for y in range(3) if x != y]
{x: x ** 2 for x in range(3)}
sorted({x % 3 for x in range(10)})
list(x for x in 'abc')
[[y for y in range(x)] for x in range(3)]
[(x, y) for x, y in zip('ab', [1, 2])]
[a for a, *b in [(1, 2, 3), (4,)]]
[y := 5, y ** 2]
[last := x for x in range(3)][-1]
(n := 10) + n
[1, 2, 3, 4, 5][1:3], [1, 2, 3][::-1], [1, 2, 3, 4][::2], [1, 2, 3][-2:], [1, 2, 3][5:]
'abcdef'[1:4], 'abcdef'[::-2], 'abc'[-1], (1, 2, 3)[1:]
'abc'[slice(0, 2)]
[1, 2, 3] < [1, 2, 4], (1, 2) < (1, 2, 0), 'a' < 'b', [] < [0]
[1, 2] == [1, 2], (1,) == [1], {'a': 1} == {'a': 1.0}
1 in [1, 2], 'a' in 'abc', 'x' not in {'x': 1}, 3 in {1, 2}, 2.0 in [1, 2]
None is None, 1 is not None, [] is []
'%s and %d and %.2f' % ('a', 3, 2.5)
'%5d|%-5d|%05d' % (42, 42, 42)
'%x %X %o %e %g' % (255, 255, 8, 12345.678, 0.0001)
'%r %s' % ('a', None)
'%(a)s %(b)d' % {'a': 'x', 'b': 2}
'%%' % ()
'%s' % [1, 2]
'%+d % d' % (5, 5)
'%10.3f|%-10s|%10s' % (3.14159, 'ab', 'cd')
'%s' % (1,)
'%c' % 65
'{} {}'.format(1, 'a')
'{0} {1} {0}'.format('a', 'b')
'{a} {b!r}'.format(a=1, b='x')
'{:>10}|{:<5}|{:^7}'.format('a', 1, 2.5)
'{0[0]} {0[1]} {1[k]}'.format([1, 2], {'k': 'v'})
'{:{}}'.format('a', 5)
'{{}} {}'.format(1)
'{:,}'.format(1234567)
'{0.real}'.format(5)
'a,b,c'.split(','), 'a b  c'.split(), ' a b '.split(' '), 'a,b,c'.split(',', 1)
'a,b,c'.rsplit(',', 1), 'abc'.split('x'), ''.split(), ''.split(',')
' a b  c '.split(None, 1), ' a b  c '.rsplit(None, 1)
'abc'.upper(), 'ABC'.lower(), 'hello world'.title(), 'hELLO'.capitalize(), 'aBc'.swapcase()
'  x '.strip(), 'xxaxx'.strip('x'), ' x '.lstrip(), ' x '.rstrip(), 'abcba'.strip('ab')
'abc'.startswith('a'), 'abc'.endswith(('x', 'c')), 'abc'.startswith('b', 1), 'abc'.startswith('')
'abcabc'.find('c'), 'abc'.find('x'), 'abcabc'.rfind('b'), 'abc'.index('b'), 'abc'.find('', 3), 'abc'.find('a', 1)
'abcabc'.count('a'), 'aaa'.count('aa'), 'abc'.count('')
'abc'.replace('b', 'x'), 'aaa'.replace('a', 'b', 2), 'abc'.replace('', '-')
'-'.join(['a', 'b']), ''.join([]), ','.join('abc')
'a-b-c'.partition('-'), 'a-b-c'.rpartition('-'), 'abc'.partition('x'), 'abc'.rpartition('x')
'abc'.center(9, '*'), 'abc'.ljust(5) + '|', 'abc'.rjust(5), '42'.zfill(5), '-42'.zfill(5), 'ab'.center(5), 'abc'.center(6)
'abc'.isalpha(), '12'.isdigit(), 'a1'.isalnum(), ' '.isspace(), 'Abc'.istitle(), 'abc'.islower(), 'ABC'.isupper(), ''.isalpha()
'a\nb\r\nc'.splitlines(), 'a\nb\n'.splitlines(True)
'prefix-x'.removeprefix('prefix-'), 'x.txt'.removesuffix('.txt')
'a\tb'.expandtabs(4)
'abc'.translate(str.maketrans('ab', 'xy')), 'abc'.translate(str.maketrans({'a': None, 'b': 'BB'}))
'x' in 'xyz' and 'q' not in 'xyz'
'a' 'b' "c"
r'a\nb', 'a\x41\u0042\101'
f'{1 + 1}', f'{"a"!r}', f'{3.14159:.2f}', f'{5:>5}', f'{5:>{2 + 3}}'
f'{1 + 1 = }', f'{"x"=}', f'{2.5=:.2f}', f'{"x"=!s}'
f'{{}}', f'{{{1}}}', f'a{1}b{2}c'
f'{None} {True} {[1, "a"]} {8.0} {8}'
f'{ {"a": 1}["a"] }', f'{(lambda x: x * 2)(3)}'
f'{1:{"0"}>{3}}'
[1, 2, 3].index(2), [1, 2, 2].count(2), (1, 2).index(2)
{'a': 1}.get('a'), {'a': 1}.get('b'), {'a': 1}.get('b', 2)
list({'a': 1, 'b': 2}.items()), list({'a': 1}.keys()), list({'a': 1}.values())
{'a': 1}.keys() | {'b'} == {'a', 'b'}, {'a': 1}.keys() & {'a'}
{'a': 1, 'b': 2}.keys(), {'a': 1}.items(), {'a': 1}.values()
dict(a=1, b=2), dict([('a', 1)]), dict({'x': 1}, y=2), dict(zip('ab', [1, 2]))
{'a': 1} | {'b': 2}
dict.fromkeys('ab', 0)
{1, 2} | {3}, {1, 2} & {2}, {1, 2} - {2}, {1, 2} ^ {2, 3}
{1, 2}.issubset([1, 2, 3]), {1} < {1, 2}, {1, 2} >= {2}, {1}.isdisjoint({2})
{1, 2}.union([3]), {1, 2}.intersection([2]), {1}.difference([1]), set(), frozenset([1])
frozenset([1, 2]) == {1, 2}, {frozenset([1]): 2}[frozenset([1])]
set('a'), list('abc'), tuple([1, 2]), list({'a': 1})
bool([]), bool('x'), bool(0.0), bool(None), bool(-1)
chr(65), ord('A'), hex(255), bin(5), oct(8), hex(-255)
hash(5), hash(5.0) == hash(5)
callable(len), callable(5), callable(lambda: 0), callable(int)
getattr(5, 'real'), getattr(5, 'nope', 'x'), hasattr('', 'lower'), hasattr(5, 'lower')
(5).bit_length(), (2.5).is_integer(), (2.0).is_integer(), (0.75).as_integer_ratio()
pow(2, 10), pow(2, 10, 1000), pow(2.0, 3)
format(3.14159, '.2f'), format(42, '05d'), format('a', '>3')
iter([1]) is not None, next(iter([5])), next(iter([]), 'd')
str.upper('a'), list(map(str.strip, [' a ', 'b '])), list(map(int, '123'))
print('x')
... , NotImplemented
[[]] * 2, [0] * 0, [1] * -1
'a' * 0, 'a' * -1
1_000, 0x1F, 0o17, 0b101, 1_0.5_0, 1e-3, .5, 5.
(1), (1,), (), [], {}
1 if 0 else 2 if 0 else 3
(yield_ := 3)
x if (x := 0) else 'zero'
[i for i in range(10) if i % 2 if i % 3]
[(lambda: i)() for i in range(3)]
[f() for f in [lambda: i for i in range(3)]]
'abc' > 'ABC', 'é' > 'e', '' < 'a'
[] or {} or () or '' or 0 or None
max('abc', key=lambda c: -ord(c)), min((3, 'a'), (1, 'z'))
sum(len(w) for w in 'a bb ccc'.split())
' '.join(f'{k}={v}' for k, v in {'a': 1, 'b': 2.0}.items())
{k: v for k, v in [('a', 1), ('b', 2)] if v > 1}
dict(sorted({'b': 1, 'a': 2}.items()))
sorted(['b', 'A', 'c'], key=str.lower)
int(min(max(19 + (3.2 * 8.5 // 1 + 1), 4), 128))
4 * round((8 + 0.4 * 3.7) / 4)
'{:.1f}'.format(0.05), '{:.1f}'.format(0.15), '{:.1f}'.format(0.25), '{:.0f}'.format(0.5), '{:.0f}'.format(1.5)
'{:g}'.format(100000), '{:g}'.format(1000000), '{:g}'.format(0.0001), '{:g}'.format(1e-5), '{:.3}'.format(3.0), '{:.3}'.format(1234.5)
'{:e}'.format(0), '{:e}'.format(1234.5), '{:.0e}'.format(15), '{:G}'.format(1e-10), '{:F}'.format(float('nan'))
'{:10}|{:<10}|{:+}|{: }'.format(3, 3, 3, 3)
'{:s}'.format('a'), '{:.2}'.format('abc'), '{:5.1}|'.format('abc')
'{:,.2f}'.format(1234567.891), '{:_}'.format(1000000), '{:_x}'.format(123456789), '{:015,}'.format(1234567)
'{:%}'.format(0.5), '{:.1%}'.format(0.12345)
'{:#x} {:#b} {:#o} {:X}'.format(255, 5, 8, 255)
'{:c}'.format(97), '{:5c}|'.format(97)
'{!r:>6}'.format('a'), '{!s}'.format(1.0), '{:^+9.2f}'.format(2.5)
'''

ERRORS = r'''
1 / 0
1 // 0
1 % 0
1.0 / 0
1.5 // 0
1.5 % 0
0 ** -1
0.0 ** -1
1 + 'a'
'a' + 1
[1] + (2,)
(1,) + [2]
None + 1
'a' - 'b'
'a' * 'b'
'a' * 1.5
[1] * 1.5
1 < 'a'
None < None
[1] < (1,)
{} < {}
1 in 5
1 in 'abc'
-'a'
~1.5
+[]
nope
nope.attr
(5).nope
'a'.nope
[].nope
None.nope
{}.nope
len.nope
int.nope
(lambda: 0)(1)
(lambda x: 0)()
(lambda x, y: 0)(1)
(lambda x, y, z: 0)()
(lambda x: 0)(1, 2)
(lambda x, y=1: 0)(1, 2, 3)
(lambda x: 0)(1, x=2)
(lambda x: 0)(y=1)
(lambda *, k: 0)()
(lambda *, k, j: 0)()
(lambda x, /: 0)(x=1)
5()
'a'()
None()
[1, 2][5]
[1, 2]['a']
[1, 2][1.5]
(1, 2)[2]
'abc'[3]
'abc'['a']
{'a': 1}['b']
{}[1]
{}[(1, 2)]
5[0]
None[0]
{[1]: 2}
{{}: 1}
{[1]}
int('a')
int('1.5')
int('')
int(None)
int([])
int('9', 8)
int(5, 10)
int('1', 99)
float('a')
float(None)
float('')
int(float('inf'))
int(float('nan'))
float(10 ** 400)
len(5)
len(None)
iter(5)
list(5)
for_ = 1 if 5 else 6, for__
max()
max([])
max(5)
max(1, 'a')
min([1, 'a'])
sum(['a'])
sum('a')
sum(5)
sorted([1, 'a'])
sorted(5)
sorted([1], 5)
range(1.5)
range(0, 1, 0)
range()
chr(-1)
ord('ab')
ord(5)
abs('a')
round('a')
divmod(1, 'a')
divmod(1, 0)
pow(2, 3, 0)
isinstance(1, 5)
isinstance(1, 'int')
getattr(5, 'nope')
getattr(5, 5)
next([])
next(iter([]))
'a'.join([1])
'a'.join(5)
'a'.split('')
'a'.split(5)
'a'.index('x')
'a'.replace(1, 2)
'a'.startswith(5)
'a'.startswith((1,))
'a'.center(5, 'xx')
'abc'.upper(1)
'abc'.join()
'%d' % 'a'
'%d' % None
'%d %d' % 1
'%d' % (1, 2)
'%s %s' % ('a',)
'%(a)s' % {}
'%(a)s' % 5
'%z' % 1
'%' % 1
'%f' % 'a'
'{}'.format()
'{a}'.format()
'{0} {}'.format(1, 2)
'{} {0}'.format(1, 2)
'{'.format()
'}'.format()
'{:d}'.format('a')
'{:d}'.format(1.5)
'{:s}'.format(1)
'{:.2d}'.format(1)
'{:x}'.format(1.5)
'{:q}'.format(1)
'{0.nope}'.format(1)
'{0[5]}'.format([1])
'{0[a]}'.format({})
format([], 'd')
format(None, '5')
f'{1:q}'
f'{"a":d}'
f'{nope}'
[].pop()
[1].pop(5)
[1].remove(2)
[1].index(2)
(1,).index(2)
{}.pop('a')
{}.popitem()
set().pop()
{1}.remove(2)
dict([1])
dict([(1, 2, 3)])
dict(5)
{**5}
(lambda **k: 0)(**{1: 2})
[*5]
(1).real.nope
1 .real()
[1, 2].append()
[].append(1, 2)
[].sort(5)
{}.get()
[x for x in 5]
[a for a, b in [1]]
[a for a, b in [(1, 2, 3)]]
[a for a, b in [(1,)]]
[a for a, *b in [()]]
list(zip(5))
list(map(5, [1]))
list(map(len, [1]))
set([[]])
hash([])
hash({})
1 @ 2
1.5 & 2
'a' & 'b'
1 << -1
1 >> -1
1 << 1.5
(2).bit_length(1)
object().x
tuple(1, 2)
str(1, 2, 3, 4)
'a' < 1
(1, 'a') < (1, 2)
'''

PROGRAMS = [
    'a, b = 1, 2\na, b = b, a\n(a, b)',
    'a, *b, c = range(5)\n(a, b, c)',
    '[a, (b, c)] = [1, (2, 3)]\n(a, b, c)',
    'a = b = []\na.append(1)\nb',
    'x = 5\nx += 2\nx *= 3\nx -= 1\nx //= 4\nx **= 2\nx',
    'x = [1]\ny = x\nx += [2]\n(x, y, x is y)',
    "x = 'a'\nx += 'b'\nx *= 2\nx",
    'x = {1}\nx |= {2}\nx',
    "d = {}\nd['a'] = 1\nd['a'] += 5\nd",
    'l = [1, 2, 3]\nl[0] = 9\nl[1:] = [7, 8, 9]\nl[-1] += 1\nl',
    'l = [0, 1, 2, 3, 4]\ndel l[1]\ndel l[-1:]\nl',
    "d = {'a': 1, 'b': 2}\ndel d['a']\nd",
    'l = list(range(6))\nl[::2] = [9, 9, 9]\nl',
    'l = list(range(6))\ndel l[::2]\nl',
    'x = 1\ndel x\nx',
    'if 0:\n    r = 1\nelif 1:\n    r = 2\nelse:\n    r = 3\nr',
    'r = []\nfor i in range(5):\n    if i == 1: continue\n    if i == 4: break\n    r.append(i)\nr',
    'r = 0\nfor i in range(3):\n    r += i\nelse:\n    r += 100\nr',
    'for i in range(3):\n    if i == 1: break\nelse:\n    i = 99\ni',
    'i = 0\nwhile i < 5:\n    i += 2\nelse:\n    i += 100\ni',
    'i = 0\nwhile True:\n    i += 1\n    if i > 3: break\nelse:\n    i = 99\ni',
    'r = []\nfor a in range(3):\n    for b in range(3):\n        if b == 1: break\n        r.append((a, b))\n    else:\n        r.append(a)\nr',
    'def f(x):\n    return x * 2\nf(4)',
    'def f(a, b=2, *c, d, e=5, **f):\n    return (a, b, c, d, e, f)\nf(1, d=4), f(1, 2, 3, 4, d=5, z=6)',
    'def f(a, /, b, *, c):\n    return a, b, c\nf(1, b=2, c=3)',
    'def f(): pass\nf()',
    'def f(x=[]):\n    x.append(1)\n    return x\nf()\nf()',
    'def fact(n): return 1 if n < 2 else n * fact(n - 1)\nfact(25)',
    'def fib(n):\n    a, b = 0, 1\n    for _ in range(n): a, b = b, a + b\n    return a\nfib(90)',
    'def outer():\n    x = 1\n    def inner():\n        nonlocal x\n        x += 1\n        return x\n    inner()\n    return inner()\nouter()',
    'x = 1\ndef f():\n    global x\n    x = 5\nf()\nx',
    'def f():\n    y = 1\n    def g(): return y\n    y = 2\n    return g()\nf()',
    'def f():\n    return late\nlate = 7\nf()',
    'def f():\n    x = x + 1\nf()',
    'x = 1\ndef f():\n    y = x\n    x = 2\nf()',
    'def f():\n    def g(): return z\n    return g()\n    z = 1\nf()',
    'def deco(f): return lambda *a: f(*a) + 1\n@deco\ndef f(x): return x\nf(1)',
    'def rep(n):\n    def d(f): return lambda: [f()] * n\n    return d\n@rep(2)\n@rep(3)\ndef f(): return 0\nf()',
    "def f(x: int, y: 'str' = 1) -> list[int]:\n    z: int = x\n    return [z, y]\nf(1)",
    "x: int = 5\ny: dict[str, int]\nx",
    'f = lambda n: n and n + f(n - 1)\nf(5)',
    'def g():\n    yield 1\n    yield from [2, 3]\n    return 4\nlist(g())',
    'def g():\n    x = yield 1\n    yield x\nit = g()\nnext(it)\nit.send(9)',
    'def g():\n    r = yield from h()\n    yield r\ndef h():\n    yield 1\n    return 2\nlist(g())',
    'def g():\n    try:\n        yield 1\n    finally:\n        log.append(2)\nlog = []\nfor x in g(): log.append(x)\nlog',
    'def g():\n    yield 1\nit = g()\nnext(it)\nnext(it)',
    'def g():\n    return 5\n    yield\ng_ = g()\ntry:\n    next(g_)\nexcept StopIteration as e:\n    r = e.value\nr',
    'try:\n    1 / 0\nexcept ZeroDivisionError:\n    r = 1\nr',
    'try:\n    r = 0\nexcept Exception:\n    r = 1\nelse:\n    r = 2\nfinally:\n    s = 3\nr, s',
    "try:\n    {}['a']\nexcept (IndexError, KeyError) as e:\n    r = repr(e), str(e), e.args\nr",
    'try:\n    [][0]\nexcept KeyError:\n    r = 1\nexcept LookupError:\n    r = 2\nr',
    'try:\n    nope\nexcept:\n    r = 1\nr',
    'try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    pass\ne',
    "def f():\n    try:\n        return 1\n    finally:\n        log.append(2)\nlog = []\nf(), log",
    "def f():\n    for i in range(3):\n        try:\n            if i == 1: continue\n            if i == 2: break\n            log.append(i)\n        finally:\n            log.append('f')\nlog = []\nf()\nlog",
    "try:\n    try:\n        raise ValueError('a')\n    except ValueError:\n        raise\nexcept ValueError as e:\n    r = str(e)\nr",
    "try:\n    try:\n        raise ValueError('a')\n    finally:\n        x = 1\nexcept ValueError as e:\n    r = x, str(e)\nr",
    "raise ValueError('boom')",
    'raise ValueError',
    "raise KeyError('k')",
    "raise KeyError",
    "raise Exception('a', 1)",
    "raise OSError(2, 'No such file', 'f.txt')",
    "raise RuntimeError('x') from ValueError('y')",
    "raise 5",
    "raise int",
    'assert 1 == 2',
    "assert 1 == 2, 'msg'",
    'assert True\n5',
    'class E(Exception): pass\nraise E("custom")',
    'class E(ValueError):\n    def __init__(self, code):\n        super().__init__(f"code {code}")\n        self.code = code\ntry:\n    raise E(5)\nexcept ValueError as e:\n    r = e.code, str(e), e.args\nr',
    'class E(Exception):\n    def __str__(self): return "mine"\nraise E(1)',
    'class A:\n    x = 1\n    def __init__(self, y): self.y = y\n    def get(self): return self.x + self.y\na = A(5)\na.get(), a.x, A.x',
    'class A:\n    def f(self): return "A"\nclass B(A):\n    def f(self): return "B" + super().f()\nclass C(B): pass\nC().f(), isinstance(C(), A), issubclass(C, B)',
    'class A:\n    def __eq__(self, o): return True\n    def __lt__(self, o): return True\n    def __len__(self): return 3\n    def __getitem__(self, i): return i * 2\n    def __contains__(self, x): return x == 1\n    def __call__(self, x): return x + 1\n    def __bool__(self): return False\na = A()\na == 5, a < 1, len(a), a[4], 1 in a, 2 in a, a(1), bool(a), 5 == a',
    'class V:\n    def __init__(self, x): self.x = x\n    def __add__(self, o): return V(self.x + o.x)\n    def __radd__(self, o): return V(self.x + o)\n    def __mul__(self, k): return V(self.x * k)\n    def __neg__(self): return V(-self.x)\n    def __repr__(self): return f"V({self.x})"\n    def __iadd__(self, o):\n        self.x += 100\n        return self\nv = V(1)\nw = v + V(2), 5 + v, v * 3, -v\nv += 1\nw, v',
    'class A:\n    @property\n    def p(self): return 5\n    @staticmethod\n    def s(x): return x\n    @classmethod\n    def c(cls): return cls.__name__\nA().p, A.s(1), A().s(2), A.c(), A().c()',
    'class A:\n    @property\n    def p(self): return self._p\n    @p.setter\n    def p(self, v): self._p = v * 2\na = A()\na.p = 5\na.p',
    'class A:\n    @property\n    def p(self): return 5\nA().p = 1',
    'class I:\n    def __init__(self): self.n = 0\n    def __iter__(self): return self\n    def __next__(self):\n        self.n += 1\n        if self.n > 3: raise StopIteration\n        return self.n\nlist(I()), sum(I())',
    'class I:\n    def __iter__(self):\n        yield 1\n        yield 2\na, b = I()\n(a, b, *I())',
    'class M:\n    def __enter__(self):\n        log.append("in")\n        return 5\n    def __exit__(self, *a):\n        log.append(a[0] is None)\n        return True\nlog = []\nwith M() as m:\n    log.append(m)\nwith M():\n    1 / 0\nlog',
    'class M:\n    def __enter__(self): return self\n    def __exit__(self, t, v, tb): log.append(str(v))\nlog = []\ntry:\n    with M() as a, M() as b:\n        raise ValueError("x")\nexcept ValueError:\n    log.append("out")\nlog',
    'with 5: pass',
    'with 5 as x:\n    y = 1\ny',
    'class A:\n    def __getattr__(self, n): return n.upper()\nA().abc',
    'class A: pass\nA().x',
    'class A: pass\nA.x',
    'class A: pass\na = A()\na.x = 1\ndel a.x\na.x',
    'class A: pass\nA(1)',
    'class A:\n    def f(self): pass\nA().f(1)',
    'class A:\n    def __init__(self, a, b): pass\nA(1)',
    'class A:\n    x = 1\n    y = [x for _ in range(2)] if 0 else x + 1\nA.y',
    'class A:\n    def __hidden(self): return 1\n    def f(self): return self.__hidden()\nA().f()',
    'class A: pass\nclass B(A): pass\nclass C(A): pass\nclass D(B, C): pass\nD().nope',
    'def f(a, b): return a\nf(1)',
    'def f(): pass\nf(1)',
    'def f(a, b=1, *, c): pass\nf()',
    'def f(*args, **kw): return args, kw\nf(*[1, 2], *(3,), x=1, **{"y": 2})',
    'a, b = 1',
    'a, b = [1, 2, 3]',
    'a, b, c = [1, 2]',
    'a, *b, c = [1]',
    "a, b = 'xy'\na + b",
    'x = [1, 2, 3]\nfor i in x:\n    if i < 3: x.append(i + 10)\n    if len(x) > 5: break\nx',
    'd = {"a": 1}\nfor k in d:\n    d[k + "x"] = 1',
    'import math\nmath.ceil(2.1)',
    'import nope_module',
    'x = 5; y = 6; x + y',
    'x = (1 +\n     2)\nx',
    'x = 1 + \\\n    2\nx',
    '# comment\nx = 1 # more\n\n\nx',
    "t = ()\nt[0] = 1",
    "'abc'[0] = 'x'",
    '(5).x = 1',
    "s = 'x'\ns.y = 1",
    'len = 5\ndel len\nlen("abc")',
    "'gpus' in locals(), 'x' in globals()",
    'x = 3\n(lambda: x)(), [x for _ in [0]]',
    'def f(n):\n    if n == 0: return 0\n    return 1 + f(n - 1)\nf(200)',
    'def f(): return f()\ntry:\n    f()\nexcept RecursionError as e:\n    r = type(e).__name__\nr',
    'l = []\nl.append(l)\nl',
    'd = {}\nd["d"] = d\nd',
    'x = [3, 1, 2]\nx.sort(key=lambda v: -v)\nx',
    'x = [3, 1, 2]\nx.sort(reverse=True)\nx.reverse()\nx.insert(0, 9)\nx.extend("ab")\ny = x.pop()\nx.remove(9)\nx, y, x.copy(), x.clear(), x',
    "d = {'a': 1}\nd.update(b=2)\nd.update([('c', 3)])\nd.setdefault('z', []).append(1)\nd, d.pop('a'), d.pop('q', None), d.popitem(), d",
    "s = {1}\ns.add(2)\ns.discard(5)\ns.remove(1)\ns.update([7])\nsorted(s)",
    'total = 0\nfor i, (a, b) in enumerate([(1, 2), (3, 4)]):\n    total += i * a + b\ntotal',
    'matrix = [[1, 2], [3, 4]]\n[list(r) for r in zip(*matrix)]',
    'x = 10\ndef f():\n    return [x for x in range(3)], x\nf()',
    'def f():\n    if (n := 5) > 3: return n\nf()',
    'def f():\n    [y := i for i in range(3)]\n    return y\nf()',
    'def make():\n    fs = []\n    for i in range(3): fs.append(lambda: i)\n    return [f() for f in fs]\nmake()',
    'def counter():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n        return n\n    return inc\nc = counter()\nc(), c(), c()',
    'try:\n    x = int("a")\nexcept ValueError as e:\n    x = str(e)\nx',
    'while True:\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        break\n    finally:\n        done = 1\ndone',
    'def f():\n    while True:\n        try:\n            return 1\n        finally:\n            break\n    return 2\nf()',
    'print(1, 2, sep="-")\nNone',
    'pass\n...',
]


MODULES = r'''
import math | math.ceil(2.1), math.floor(-2.1), math.trunc(-2.7), math.sqrt(16), math.pi, math.log(8, 2), math.log10(1000), math.log2(8)
import math | math.gcd(12, 18), math.lcm(4, 6), math.factorial(20), math.comb(10, 3), math.perm(5, 2), math.isqrt(17), math.prod([1, 2, 3.0])
import math | math.isnan(float('nan')), math.isinf(math.inf), math.isclose(0.1 + 0.2, 0.3), math.copysign(3, -1), math.fmod(-7, 3), math.hypot(3, 4)
import math | math.fsum([0.1] * 10), math.log(10 ** 400), math.modf(2.5), math.pow(2, 3), math.degrees(math.pi), math.fabs(-2), math.floor(1e20)
import math | math.sqrt(-1)
import math | math.log(0)
import math | math.ceil('a')
import math | math.factorial(-1)
import math | math.exp(1000)
import math | math.nope
from math import ceil as c, floor | c(1.5) + floor(1.5)
import random | [random.Random(42).random() for _ in range(2)], random.Random(1).randint(1, 100), random.Random(2 ** 70).getrandbits(70)
import random | r = random.Random(7) | [r.randint(0, 9) for _ in range(10)], r.choice('abcdef'), r.sample(range(100), 5), r.sample(list('abcdefg'), 7), r.uniform(1, 2)
import random | r = random.Random(0) | x = list(range(10)) | r.shuffle(x) | x, r.choices('abc', k=5), r.choices('abc', weights=[1, 2, 3], k=5), r.randrange(0, 100, 7)
import random | r = random.Random(3) | [round(r.gauss(0, 1), 12) for _ in range(3)], round(r.normalvariate(5, 2), 12), round(r.expovariate(2), 12), round(r.triangular(0, 1, 0.3), 12)
import random | random.seed(5) | random.random(), random.randint(1, 6), random.choice([1, 2, 3])
import random | r = random.Random(-12345678901234567890) | r.random(), r.getrandbits(5), r.sample(range(10 ** 6), 3)
import random | random.choice([])
import random | random.randint(5, 1)
import json | json.dumps({'a': [1, 2.0, None, True, 'é"\n'], 'b': {}}), json.dumps([]), json.dumps('x'), json.dumps(1e16), json.dumps({1: 2, None: 3, True: 4})
import json | json.dumps([1, [2, {'a': 3}]], indent=2), json.dumps({'b': 1, 'a': 2}, sort_keys=True), json.dumps([1, 2], separators=(',', ':')), json.dumps('é', ensure_ascii=False)
import json | json.loads('{"a": [1, 2.0, null, true, "x\\u00e9\\n"], "b": 1e2}'), json.loads(' [ ] '), json.loads('-0.0'), json.loads('12345678901234567890')
import json | json.loads('{a: 1}')
import json | json.loads('[1, 2')
import json | json.loads('')
import json | json.loads('[1] x')
import json | json.dumps({1, 2})
import json | json.dumps({(1, 2): 3})
import re | re.match(r'(\w+)-(\d+)', 'abc-12x').groups(), re.match('b', 'abc'), bool(re.search('b', 'abc')), re.fullmatch('a.c', 'abc').span()
import re | re.findall(r'\d+', 'a1b22'), re.findall(r'(\w)(\d)', 'a1 b2'), re.sub(r'(\w)(\d)', r'\2\1', 'a1b2'), re.split(r'[,;]\s*', 'a, b;c'), re.split('(-)', 'a-b')
import re | re.sub('a', lambda m: m.group().upper(), 'banana', count=2), re.subn('a', 'x', 'aaa'), re.sub(r'(?P<n>b)', r'[\g<n>]', 'abc'), re.escape('a.b*c')
import re | m = re.search(r'(?P<first>\w+) (?P<second>\w+)?', 'hello world') | m.group('first'), m.group(1, 2), m.groupdict(), m.start(2), m.end(), m['second'], m.lastindex
import re | re.match('(?i)ABC', 'abc') is not None, re.match('a$', 'a\n') is not None, re.match('a.b', 'a\nb'), re.match('a.b', 'a\nb', re.S) is not None, re.findall('^a', 'a\na', re.M), re.I.value if hasattr(re.I, 'value') and False else 2
import re | [m.start() for m in re.finditer('a*', 'baac')], re.findall('', 'ab'), re.sub('x*', '-', 'abxd'), re.match(r'\bfoo\b', 'foo bar').group(), re.findall(r'[^\W\d]+' if False else r'[a-z]+', 'ab1cd')
import re | re.match(r'a{2,3}?', 'aaaa').group(), re.match('a{,2}', 'aaa').group(), re.match('x{a', 'x{a').group(), re.match(r'(a)(b)?', 'a').groups(), re.match(r'(a)(b)?', 'a').groups('-')
import re | re.match(r'(?:ab)+(?=c)(?<=b)(?!d)', 'ababc').group(), re.match(r'(.)\1', 'aa').group(), re.match(r'[\w.+-]+@[a-z-]+', 'a.b+c@d-e').group(), re.match(r'[]a]+', ']a').group(), re.match('[a-]+', 'a-').group()
import re | p = re.compile(r'\d+', re.I) | p.findall('1 22'), p.pattern, p.match('x'), p.search('a5', 1).group(), p.sub('#', '1a2')
import re | re.split(r'\s+', ' a b ', maxsplit=1), re.findall(r'é\w', 'éa éb'), re.search('x', 'ab\U0001F600x').start()
import re | re.match('a', 5)
import re | try: | ..re.compile('(') | except re.error: | ..r = 'bad' | r
import re | try: | ..re.compile('*a') | except re.error: | ..r = 'bad' | r
import datetime | datetime.date(2024, 2, 29), str(datetime.date(2024, 2, 29)), datetime.date(2024, 1, 1).weekday(), datetime.date(2024, 12, 30).isocalendar()[1], datetime.date(2024, 3, 1).toordinal()
from datetime import datetime, timedelta, date | datetime(2024, 1, 31, 23, 59, 59, 5) + timedelta(days=1, seconds=1), datetime(2024, 1, 1) - timedelta(hours=1), (date(2024, 3, 1) - date(2024, 2, 1)).days
from datetime import datetime, timedelta, timezone | datetime(2024, 1, 1, tzinfo=timezone.utc), datetime(2024, 1, 1, 12, tzinfo=timezone.utc).isoformat(), datetime(2024, 1, 1, tzinfo=timezone.utc).timestamp(), datetime(2024, 1, 1, tzinfo=timezone.utc).astimezone(timezone(timedelta(hours=2))).hour
from datetime import datetime | datetime(2024, 7, 4, 15, 6, 9, 42).strftime('%Y-%m-%d %H:%M:%S.%f %a %A %b %B %j %y %I %p %U %W %w %% %d/%m'), f'{datetime(2024, 7, 4):%d.%m.%Y}', datetime(2024, 7, 4).ctime() if False else 1
from datetime import datetime | datetime.strptime('2024-07-04 15:06', '%Y-%m-%d %H:%M'), datetime.strptime('4 Jul 2024', '%d %b %Y'), datetime.fromisoformat('2024-07-04T15:06:09.000042'), datetime.fromisoformat('2024-07-04')
from datetime import timedelta | timedelta(days=1.5), timedelta(hours=-1), str(timedelta(days=2, hours=3, minutes=4, seconds=5)), timedelta(minutes=90).total_seconds(), timedelta(seconds=5) * 2, timedelta(hours=3) / timedelta(hours=2), timedelta(days=1) // 2, -timedelta(seconds=1), abs(timedelta(-1))
from datetime import timedelta | timedelta(1) > timedelta(hours=23), timedelta(0) == timedelta(), bool(timedelta(0)), timedelta(milliseconds=1500), timedelta(weeks=1, days=-7), {timedelta(1): 'x'}[timedelta(hours=24)], timedelta(microseconds=1)
from datetime import datetime, date | datetime(2024, 1, 1) < datetime(2024, 1, 2), date(2024, 1, 1) == date(2024, 1, 1), isinstance(datetime(2024, 1, 1), date), datetime(2024, 1, 1).date(), datetime(2024, 1, 1, 5).replace(hour=7, day=9), datetime(2024, 1, 1) == date(2024, 1, 1)
from datetime import date | date(2023, 2, 29)
from datetime import date | date(2023, 13, 1)
from datetime import datetime | datetime.strptime('x', '%Y')
from datetime import datetime, timezone | datetime(2024, 1, 1) < datetime(2024, 1, 1, tzinfo=timezone.utc)
import functools | functools.reduce(lambda a, b: a * b, [1, 2, 3, 4]), functools.reduce(lambda a, b: a + b, [], 5), functools.partial(int, base=2)('101'), sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a))
import functools | calls = [] | @functools.lru_cache(maxsize=None) | def f(x): calls.append(x); return x * 2 | f(1), f(1), f(2), calls
import functools | @functools.lru_cache | def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2) | fib(80)
import functools | @functools.cache | def f(x, y=1): return x + y | f(1), f(1, y=2)
import functools | functools.reduce(lambda a, b: a, [])
import itertools as i | list(i.chain([1], 'a')), list(i.chain.from_iterable([[1], [2]])), list(i.product('ab', [1, 2])), list(i.permutations([1, 2, 3], 2)), list(i.combinations('abc', 2)), list(i.combinations_with_replacement('ab', 2))
import itertools as i | list(i.islice(i.count(5, 2), 3)), list(i.islice('abcdef', 1, 5, 2)), list(i.accumulate([1, 2, 3])), list(i.accumulate([1, 2, 3], lambda a, b: a * b)), list(i.takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(i.dropwhile(lambda x: x < 3, [1, 2, 3, 1]))
import itertools as i | [(k, list(g)) for k, g in i.groupby('aabbc')], list(i.zip_longest([1, 2], 'a', fillvalue=0)), list(i.starmap(pow, [(2, 3), (3, 2)])), list(i.repeat(1, 2)), list(i.islice(i.cycle('ab'), 5)), list(i.filterfalse(None, [0, 1])), list(i.pairwise('abc')), list(i.compress('abc', [1, 0, 1])), list(i.product([0, 1], repeat=2))
from collections import Counter, defaultdict, OrderedDict, namedtuple, deque | Counter('abca'), Counter('abca').most_common(1), Counter(a=2) + Counter(a=1, b=1), Counter('ab')['z'], Counter('aab') - Counter('ab'), sorted(Counter(a=2).elements()), dict(Counter('ab'))
from collections import defaultdict | d = defaultdict(list) | d['a'].append(1) | d, d['b'], len(d), d.get('c'), dict(d)
from collections import defaultdict | d = defaultdict(int) | d['x'] += 1 | d
from collections import OrderedDict | d = OrderedDict([('a', 1), ('b', 2)]) | d.move_to_end('a') | d, d.popitem(last=False)
from collections import namedtuple | P = namedtuple('P', 'x y') | p = P(1, y=2) | p, p.x, p[1], p._asdict(), p._replace(x=5), p == (1, 2), P._fields
from collections import namedtuple | P = namedtuple('P', ['x', 'y'], defaults=[0]) | P(1), P(1)
from collections import namedtuple | P = namedtuple('P', 'x y') | P(1)
from collections import deque | d = deque([1, 2, 3], maxlen=3) | d.append(4) | d.appendleft(0) | d.rotate(1) | d, list(d), d.pop(), d.popleft(), len(d), d[0]
from typing import Optional, List, Dict, Union | def f(x: Optional[int], y: Dict[str, List[int]] = None) -> Union[int, str]: return x | f(1)
from numbers import Number | isinstance(1, Number), isinstance(1.5, Number), isinstance('a', Number), isinstance(True, Number)
from collections.abc import Mapping, Sequence, Iterable | isinstance({}, Mapping), isinstance([], Sequence), isinstance('a', Iterable), isinstance(5, Iterable)
import operator as o | o.add(1, 2), o.itemgetter(1)([5, 6]), o.itemgetter('a', 'b')({'a': 1, 'b': 2}), o.attrgetter('real')(5), o.methodcaller('upper')('a'), o.mul(2, 3.0), o.contains([1], 1), o.not_(0), o.eq(1, 1.0)
import string | string.ascii_lowercase, string.digits, string.punctuation, string.capwords('hello  world')
import copy | a = [1, [2]] | b = copy.copy(a) | c = copy.deepcopy(a) | a[1].append(3) | a, b, c
import copy | d = {'a': {1}} | e = copy.deepcopy(d) | d['a'].add(2) | e, copy.copy((1, [2]))
import fnmatch | fnmatch.fnmatch('abc.txt', '*.txt'), fnmatch.fnmatch('a', '?'), fnmatch.fnmatch('b', '[!a]'), fnmatch.filter(['ab', 'cd'], 'a*'), fnmatch.fnmatchcase('A', 'a')
import statistics as s | s.mean([1, 2, 3, 4]), s.mean([1, 2, 3]), s.mean([0.1, 0.2]), s.median([3, 1, 2]), s.median([1, 2, 3, 4]), s.median_low([1, 2]), s.mode('aab'), s.stdev([1, 2, 3, 4]), s.pvariance([1, 2, 3]), s.variance([1.5, 2.5, 4]), s.fmean([1, 2]), s.multimode([1, 1, 2, 2])
import statistics | statistics.mean([])
import statistics | statistics.median([])
import statistics | statistics.stdev([1])
import os | os.path.join('a', 'b', '/c', 'd'), os.path.basename('/x/y.txt'), os.path.dirname('/x/y.txt'), os.path.splitext('a.tar.gz'), os.path.splitext('.bashrc'), os.path.exists('/nope/nope'), os.path.split('/a/b')
import os | try: | ..os.path.getsize('/nope') | except OSError: | ..r = 0 | r
import logging | log = logging.getLogger('x') | log.debug('a %s', 1), log.info('b')
from __future__ import annotations | 5
'''


def rows():
    for left in NUMBERS:
        for right in NUMBERS:
            for op in BINARY:
                big = op in ('**', '<<') and (len(right) > 4 or len(left) > 8)
                if not big and (NUMBERS.index(left) * 7 + NUMBERS.index(right) * 3 + BINARY.index(op)) % 3 == 0:
                    yield f'({left}) {op} ({right})'
    for value in FORMATTED:
        for i, spec in enumerate(FORMATS):
            if (FORMATTED.index(value) + i) % 2 == 0:
                yield f"format({value}, '{spec}')"
    yield from (line for line in (EXPRESSIONS + ERRORS).split('\n') if line)
    yield '"""a\nb"""'
    yield "f'''{\n1 + 2\n}'''"
    yield from PROGRAMS
    for line in MODULES.strip().split('\n'):
        yield '\n'.join(part.replace('..', '    ', 1) if part.startswith('..') else part for part in line.split(' | '))


def outcome(code):
    scope = {'__name__': 'snippet'}
    try:
        tree = ast.parse(code)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, 'snippet', 'exec'), scope)
        return repr(eval(compile(ast.Expression(last.value), 'snippet', 'eval'), scope)) if last else 'None'
    except BaseException as error:
        return f'{type(error).__name__}: {error}'


if __name__ == '__main__':
    import contextlib
    import io
    recorded = []
    with contextlib.redirect_stdout(io.StringIO()):
        for code in dict.fromkeys(rows()):
            recorded.append([code, outcome(code)])
    lines = ',\n'.join(json.dumps(row, ensure_ascii=True) for row in recorded)
    pathlib.Path(__file__).with_name('recorded.json').write_text(f'[\n{lines}\n]\n')
    print(len(recorded), 'rows')
