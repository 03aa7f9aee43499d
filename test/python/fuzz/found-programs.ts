import { blocks } from './grammar/blocks.ts';

/** Programs of several lines that once gave another answer than CPython; see found.ts. */
export const foundPrograms = blocks(String.raw`
class A:
    def __getitem__(self, i):
        if i > 2: raise IndexError(i)
        return i
list(A()), 2 in A()
---
class A:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __hash__(self): return hash(self.v)
{A(1): 2}[A(1)], len({A(1), A(1), A(2)})
---
class A:
    def __eq__(self, o): return None
    def __lt__(self, o): return None
A() == 1, A() < 1
---
try:
    raise ValueError('a') from KeyError('b')
except ValueError as e:
    r = repr(e.__cause__)
r
---
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise KeyError('k')
except KeyError as e:
    r = repr(e.__context__), e.__cause__
r
---
import math
(
    math.frexp(3.5),
    math.ldexp(0.7, 3),
    math.ulp(1.0),
    math.nextafter(1, 2),
    math.remainder(7, 4),
    math.modf(-0.0),
)
---
import re
re.findall(r'[^\W\d_]+', 'ab1_é'), re.findall(r'[\W1]', 'a-1'), re.findall(r'[^\S ]', 'a b\t')
---
import random
random.Random('hello').random(), random.Random(2.5).random(), random.Random('').randint(0, 99)
---
import random
r = random.Random(3)
r.betavariate(2, 3), r.gammavariate(0.5, 3), r.expovariate(2), r.gauss(0, 1), r.triangular(10, 10, 3)
---
import statistics
(
    statistics.stdev([9, 0, 10.0, 1.005]),
    statistics.quantiles([1, 2, 3, 4, 5]),
    statistics.harmonic_mean([1000, 3.7]),
)
---
import datetime
(
    datetime.timedelta(hours=123456789.123),
    datetime.timedelta(microseconds=0.5),
    datetime.timedelta(7) * 1.5,
    datetime.timedelta(1) / 7,
)
---
import datetime
datetime.time(1, 2, 3), datetime.datetime.combine(datetime.date(2024, 1, 2), datetime.time(3))
---
import datetime
(
    datetime.date.fromisocalendar(2024, 5, 3),
    datetime.date(2024, 2, 29).isocalendar(),
    datetime.date(2024, 2, 29).ctime(),
)
---
import datetime
(
    datetime.datetime.fromisoformat('20240506T070809Z'),
    datetime.datetime(2024, 1, 2).isoformat(timespec='minutes'),
)
---
import datetime
datetime.datetime(2024, 1, 2).timetuple()[:6], datetime.date(2024, 1, 2).strftime('%-d')
---
import datetime
datetime.datetime.fromtimestamp(0.1234565), datetime.datetime.fromtimestamp(1.5).timestamp()
---
import collections
+collections.Counter(a=-1, b=2), collections.Counter('ab') | {}, collections.OrderedDict(a=1) | {}
---
import collections
(
    collections.deque([1, 2, 3]).index(3),
    collections.deque([1]) + collections.deque([2]),
    collections.OrderedDict(a=1).keys(),
)
---
import functools
@functools.total_ordering
class A:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __lt__(self, o): return self.v < o.v
A(1) <= A(1), A(2) > A(1), A(1) >= A(2)
---
import dataclasses
@dataclasses.dataclass(order=True)
class P:
    x: int
    y: list = dataclasses.field(default_factory=list)
P(1), P(1) == P(1, []), P(1) < P(2), dataclasses.asdict(P(3)), dataclasses.replace(P(1), x=5)
---
from typing import NamedTuple
class P(NamedTuple):
    x: int
    y: str = 'a'
P(1), P(1)._replace(y='b'), P(2) == (2, 'a')
---
import collections
c = collections.Counter()
c |= {}
c, collections.Counter(a=1) <= collections.Counter(a=2)
---
x = float('nan')
x is x, [x] == [x], x in [x], {x: 1}[x], [float('nan')] == [float('nan')], float('inf') - float('inf')
---
class A:
    def __hash__(self): return 1
    def __eq__(self, o): return True
len({A(): 1, 1: 2}), 1 in {A(): 0}, {1: 'x'}.get(A()), len({A(), 2} | {1})
---
class A:
    def __init_subclass__(cls, tag=None, **kw): seen.append((cls.__name__, tag))
seen = []
class B(A): pass
class C(B, tag=1): pass
seen
---
class D:
    def __set_name__(self, owner, name): self.name = '_' + name
    def __get__(self, o, t=None): return 'class' if o is None else getattr(o, self.name, 'none')
    def __set__(self, o, v): setattr(o, self.name, v * 2)
class A: x = D()
a = A()
a.x = 4
a.x, A.x, vars(a)
---
class A:
    def __new__(cls, v): return super().__new__(cls) if v else 'none'
    def __init__(self, v): self.v = v
A(0), A(5).v
---
class A:
    @property
    def x(self): return 1
    @x.deleter
    def x(self): self.gone = True
a = A()
del a.x
a.gone
---
class A:
    def __setattr__(self, n, v): super().__setattr__(n, v * 2)
    def __delattr__(self, n): self.last = n
a = A()
a.x = 2
del a.x
a.x, a.last
---
class A:
    def __add__(self, o): return 'A+'
    def __eq__(self, o): return 'A=='
class B(A):
    def __radd__(self, o): return 'B r+'
    def __eq__(self, o): return 'B=='
A() + B(), A() == B(), B() + A()
---
class A:
    def __radd__(self, o): return ('radd', o)
    def __rmul__(self, o): return ('rmul', o)
[1] + A(), (1,) + A(), 'a' * A(), [1] * A()
---
class A:
    def __ne__(self, o): return 'ne'
    def __index__(self): return 2
A() != 1, 'ab' * A(), [1] * A()
---
class A:
    def __divmod__(self, o): return 'dm'
    def __pow__(self, o, m=None): return o, m
divmod(A(), 1), pow(A(), 2, 3)
---
import copy
class A:
    def __copy__(self): return 'copied'
    def __deepcopy__(self, memo): return 'deep'
copy.copy(A()), copy.deepcopy([A()])
---
def g():
    try:
        yield 1
    except GeneratorExit:
        yield 2
a = g()
next(a)
a.close()
---
def i():
    try:
        yield 1
    except ValueError:
        yield 'inner'
def o(): yield from i()
a = o()
next(a), a.throw(ValueError('x'))
---
try:
    try:
        1 / 0
    except ZeroDivisionError:
        {}['k']
except KeyError as e:
    r = repr(e.__context__)
r
---
(
    hash((1, 2.5, (3,))),
    hash(frozenset([1, 5])),
    hash(range(3)),
    hash(range(0)) == hash(range(2, 2)),
    {range(3): 1}.get('range(0, 3)'),
)
---
import collections
c = collections.ChainMap({'a': 1}, {'a': 2, 'b': 3})
c['a'], c['b'], list(c), dict(c), c
---
import string
string.Template('$a-$b-$$-$c').safe_substitute({'a': 1}, b=2), string.Template('$x').substitute(x=3)
---
import re
re.findall('|a', 'a'), re.sub('a*?', '-', 'aab'), re.findall('(?m)^', 'a😀b'), re.sub(r'\B', '-', '')
---
import re
m = re.compile('b').search('abcb', 2)
m.start(), m.pos, m.endpos, re.compile('x?').findall('x', 9)
---
import re
(
    re.search('((x)(y))', 'xy').lastindex,
    re.search('(?P<a>x)|(?P<b>y)', 'y').lastgroup,
    re.findall('(?!b)*a', 'a'),
)
---
import datetime
(
    datetime.datetime.fromisoformat('2024-05-06T07:08:09+02:00').strftime('%s'),
    datetime.date(1, 1, 1).strftime('%C'),
)
---
import copy
class A(Exception):
    def __init__(self, a, b): super().__init__(a); self.b = b
copy.copy(A(1, 2))
---
import datetime, collections
r = []
for v in [datetime.date(1, 1, 1), collections.deque(), collections.OrderedDict(), collections.Counter()]:
    try:
        1 / v
    except TypeError as e:
        r.append(str(e))
r
---
import copy
e = KeyError([1])
e.x = [2]
f = copy.deepcopy(e)
f.args, f.x, f is e, f.args[0] is e.args[0], f.x is e.x
---
import enum
class C(enum.Enum):
    A = 0
    B = enum.auto()
    C = 0
    D = enum.auto()
list(C), C.D.value
---
import dataclasses
@dataclasses.dataclass
class A:
    x: object
dataclasses.asdict(A({}.items()))
---
class A:
    def __float__(self): return 2.5
    def __int__(self): return 7
import math
math.sqrt(A()), '%d %.1f' % (A(), A())
---
try:
    raise ValueError('a') from None
except ValueError as e:
    r = e.__suppress_context__
r
---
import functools
def f(x):
    "doc"
@functools.wraps(f)
def g(*a): pass
g.__name__, g.__doc__, g.__wrapped__ is f
---
import statistics
statistics.pvariance([1, 2, 4], 2), statistics.linear_regression([1, 2, 3], [2, 4, 7])
`);
