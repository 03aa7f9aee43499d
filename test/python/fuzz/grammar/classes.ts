import { blocks } from './blocks.ts';

/** Classes of plain data with their special methods. Each leaves its result in `r_NAME`. */
export const CLASSES = blocks(String.raw`
class NAME:
    kind = $any
    def __init__(self, x, y=$any):
        self.x, self.y = x, y
    def total(self):
        return (self.x, self.y, self.kind)
o = NAME($any)
r_NAME = o.total(), o.x, NAME.kind, hasattr(o, 'z'), getattr(o, 'z', 0)
---
class NAME:
    def __init__(self, v): self.v = v
    def __repr__(self): return f'NAME({self.v!r})'
    def __eq__(self, other): return isinstance(other, NAME) and self.v == other.v
    def __hash__(self): return hash(self.v)
    def __lt__(self, other): return self.v < other.v
r_NAME = (
    NAME($int) == NAME($int), sorted([NAME(3), NAME(1), NAME($int)]), {NAME(1): 2}[NAME(1)],
    NAME(1) != NAME(1), str(NAME($any)), max(NAME(1), NAME(2)),
)
---
class NAME:
    def __init__(self, v): self.v = v
    def __add__(self, o): return NAME(self.v + getattr(o, 'v', o))
    def __radd__(self, o): return NAME(o + self.v)
    def __mul__(self, o): return self.v * o
    def __neg__(self): return -self.v
    def __sub__(self, o): return NotImplemented
    def __iadd__(self, o):
        self.v += 100
        return self
a = NAME($int)
r_NAME = [(a + 1).v, (1 + a).v, (a + a).v, a * 2, -a, sum([NAME(1), NAME(2)]).v]
a += 1
r_NAME.append(a.v)
try:
    a - 1
except TypeError:
    r_NAME.append('te')
---
class NAME:
    def __init__(self, items): self.items = items
    def __len__(self): return len(self.items)
    def __getitem__(self, i): return self.items[i]
    def __contains__(self, x): return x in self.items
    def __setitem__(self, i, v): self.items[i] = v
    def __delitem__(self, i): del self.items[i]
o = NAME($list)
r_NAME = [len(o), bool(o), $any in o]
try:
    r_NAME.append(o[0])
    o[0] = $any
    del o[-1]
    r_NAME.append(o[1:])
    r_NAME.append(list(o))
except Exception as e:
    r_NAME.append(type(e).__name__)
---
class NAME:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1
        return self.n
r_NAME = (
    list(NAME(3)), sum(NAME(4)), max(NAME(2)), [*NAME(2)], tuple(NAME($small)), 1 in NAME(3),
    dict(zip(NAME(2), 'ab')),
)
---
class NAME:
    def __iter__(self):
        yield from $list
a = [*NAME()]
r_NAME = a, list(NAME()), sorted(NAME(), key=str)
---
class NAME:
    def __getitem__(self, i):
        if i > 2: raise IndexError(i)
        return i * 10
r_NAME = list(NAME()), 20 in NAME(), [x for x in NAME()]
---
class NAME:
    def __init__(self): self._v = $any
    @property
    def v(self): return self._v
    @v.setter
    def v(self, value): self._v = (value, 'set')
    @property
    def ro(self): return 1
o = NAME()
r_NAME = [o.v]
o.v = $any
r_NAME.append(o.v)
try:
    o.ro = 2
except AttributeError as e:
    r_NAME.append(type(e).__name__)
---
class Base_NAME:
    x = 1
    def hello(self): return 'base', self.x
    @classmethod
    def make(cls, *a): return cls()
    @staticmethod
    def stat(a): return a
class NAME(Base_NAME):
    x = $any
    def hello(self): return 'sub', super().hello()
r_NAME = (
    NAME().hello(), NAME.make().x, NAME.stat(3), NAME().stat(4), isinstance(NAME(), Base_NAME),
    issubclass(NAME, Base_NAME), issubclass(Base_NAME, NAME),
)
---
class A_NAME:
    def who(self): return ['A']
class B_NAME(A_NAME):
    def who(self): return ['B'] + super().who()
class C_NAME(A_NAME):
    def who(self): return ['C'] + super().who()
class NAME(B_NAME, C_NAME):
    def who(self): return ['D'] + super().who()
r_NAME = NAME().who(), [c.__name__ for c in (A_NAME, NAME)]
---
class NAME(Exception):
    pass
try:
    raise NAME($any, 2)
except NAME as e:
    r_NAME = e.args, isinstance(e, Exception)
---
class NAME(ValueError):
    def __init__(self, msg, code=$int):
        super().__init__(msg)
        self.code = code
    def __str__(self): return f'{self.args[0]}/{self.code}'
try:
    raise NAME($str)
except ValueError as e:
    r_NAME = str(e), e.code, e.args, repr(e)
---
class NAME:
    def __enter__(self):
        log.append('in')
        return self
    def __exit__(self, t, v, tb):
        log.append(t.__name__ if t else None)
        return $bool
log = []
r_NAME = None
try:
    with NAME() as n, NAME():
        r_NAME = $any
        log.append(1 / $num)
except Exception as e:
    log.append(type(e).__name__)
r_NAME = r_NAME, log
---
class NAME:
    def __bool__(self): return $bool
    def __call__(self, *a, **k): return a, k
    def __str__(self): return 'text'
    def __format__(self, spec): return f'<{spec}>'
    def __len__(self): return 3
    def __abs__(self): return 5
    def __int__(self): return 7
    def __float__(self): return 1.5
    def __index__(self): return 2
    def __round__(self, n=None): return ('r', n)
o = NAME()
r_NAME = (
    bool(o), o($any, k=1), str(o), f'{o:abc}', '{:x}'.format(o), len(o), not o, abs(o), int(o),
    float(o), [1, 2, 3][o], round(o), round(o, 2), '%s' % o,
)
---
class NAME:
    def __getattr__(self, name):
        if name.startswith('x'): return name
        raise AttributeError(name)
o = NAME()
r_NAME = o.xyz, hasattr(o, 'abc'), getattr(o, 'q', None)
o.q = 1
r_NAME += (o.q, vars(o))
---
class NAME:
    a, b = $any, $int
    c = [b for _ in range(2)] if False else b
    def get(self): return self.a
    alias = get
r_NAME = NAME().alias(), NAME.b, NAME.c
NAME.b = $any
r_NAME += (NAME().b,)
---
class NAME:
    count = 0
    def __init__(self): NAME.count += 1
x1, x2 = NAME(), NAME()
r_NAME = NAME.count, x1 == x2, x1 == x1, x1 is x2, x1 in [x2, x1]
---
@functools.total_ordering
class NAME:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __lt__(self, o): return self.v < o.v
r_NAME = NAME(1) <= NAME($int), NAME(2) > NAME(1), NAME(1) >= NAME(1)
---
import dataclasses
@dataclasses.dataclass
class NAME:
    x: int
    y: float = $num
    z: list = dataclasses.field(default_factory=list)
r_NAME = NAME($any), NAME(1) == NAME(1), NAME(x=1, y=2).y
---
from typing import NamedTuple
class NAME(NamedTuple):
    x: int
    y: str = $str
r_NAME = NAME(1), NAME(1)._replace(x=2), NAME(1)[1], NAME(3) == (3, NAME(3).y)
---
P_NAME = collections.namedtuple('P', ['x', 'y'], defaults=[$any])
p = P_NAME($any)
r_NAME = p, p.x, p._asdict(), p._fields, p == (p.x, p.y), [*p]
---
class NAME:
    __slots__ = ('a',)
    def __init__(self): self.a = $any
r_NAME = NAME().a
---
class NAME:
    def __init__(self): self.__secret = $int
    def get(self): return self.__secret
r_NAME = NAME().get(), hasattr(NAME(), '__secret')
---
class NAME:
    def __contains__(self, x): return 'yes'
    def __eq__(self, o): return 'eq'
    def __lt__(self, o): return []
r_NAME = 1 in NAME(), NAME() == 1, NAME() != 1, NAME() < 1, 1 > NAME(), NAME() in [1]
`);
