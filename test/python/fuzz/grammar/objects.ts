import { blocks } from './blocks.ts';

/** The object model behind classes of plain data. Each leaves its result in `r_NAME`. */
export const OBJECTS = blocks(String.raw`
class NAME:
    def __init__(self, v): self.v = v
    def __radd__(self, o): return ('radd', o)
    def __rsub__(self, o): return ('rsub', o)
    def __rmul__(self, o): return ('rmul', o)
    def __rtruediv__(self, o): return ('rdiv', o)
    def __rmod__(self, o): return ('rmod', o)
    def __ror__(self, o): return ('ror', o)
    def __rand__(self, o): return ('rand', o)
    def __rpow__(self, o): return ('rpow', o)
    def __rlshift__(self, o): return ('rl', o)
    def __lt__(self, o): return ('lt', o)
    def __ge__(self, o): return ('ge', o)
o = NAME($any)
r_NAME = [
    $any + o, $num - o, $any * o, $num / o, $int % o, $set | o, $int & o, $num ** o, $int << o,
    $any > o, $any <= o,
]
---
class A_NAME:
    def __add__(self, o): return 'A+'
    def __radd__(self, o): return 'A r+'
    def __eq__(self, o): return 'A=='
    def __lt__(self, o): return 'A<'
    def __gt__(self, o): return 'A>'
class NAME(A_NAME):
    def __radd__(self, o): return 'B r+'
    def __eq__(self, o): return 'B=='
    def __gt__(self, o): return 'B>'
a, b = A_NAME(), NAME()
r_NAME = a + b, b + a, a + a, a == b, b == a, a < b, b < a, a != b, $any + a, a + $any, $any == b
---
class NAME:
    def __init__(self, v): self.v = v
    def __hash__(self): return hash(self.v)
    def __eq__(self, o): return self.v == (o.v if isinstance(o, NAME) else o)
    def __repr__(self): return f'N({self.v!r})'
r_NAME = (
    {NAME($int): 1}.get($int), $int in {NAME($int), NAME(1)}, len({NAME(1), 1, 1.0, NAME($int)}),
    {$word: 1}.get(NAME($word)), NAME($any) in $list,
)
---
class NAME:
    def __init__(self, v): self.v = v
    def __iadd__(self, o):
        self.v += o
        return self
    def __isub__(self, o): return NotImplemented
    def __sub__(self, o): return ('sub', o)
    def __imul__(self, o): return 'gone'
a = b = NAME($num)
a += $num
r_NAME = [a is b, a.v]
b -= 1
a *= 2
r_NAME += [a, b]
---
class NAME:
    registry = []
    def __init_subclass__(cls, tag=None, **kw):
        super().__init_subclass__(**kw)
        cls.tag = tag
        NAME.registry.append(cls.__name__)
class A_NAME(NAME): pass
class B_NAME(A_NAME, tag=$any): pass
r_NAME = len(NAME.registry), A_NAME.tag, B_NAME.tag
---
class D_NAME:
    def __set_name__(self, owner, name): self.name = '_' + name
    def __get__(self, o, t=None):
        if o is None: return 'on class'
        return getattr(o, self.name, $any)
    def __set__(self, o, v):
        if v is None: raise ValueError(self.name)
        setattr(o, self.name, v)
class NAME:
    x = D_NAME()
    y = D_NAME()
    def __init__(self, v): self.x = v
o = NAME($int)
o.y = $int
r_NAME = o.x, o.y, NAME.x, vars(o)
try:
    o.x = $any
    r_NAME += (o.x,)
except ValueError as e:
    r_NAME += e.args
---
class NAME:
    __slots__ = ('a', 'b')
    def __init__(self): self.a = $any
    def both(self): return self.a, self.b
o = NAME()
r_NAME = [o.a, hasattr(o, 'b'), hasattr(o, '__dict__')]
try:
    o.b = $int
    r_NAME.append(o.both())
    o.c = 1
except AttributeError as e:
    r_NAME.append(type(e).__name__)
---
class NAME:
    def __init__(self): self._x = $any
    @property
    def x(self): return self._x
    @x.setter
    def x(self, v): self._x = ('set', v)
    @x.deleter
    def x(self): del self._x
    y = property(lambda self: self.x)
o = NAME()
r_NAME = [o.x, o.y]
o.x = $any
r_NAME.append(o.y)
del o.x
r_NAME.append(hasattr(o, 'x'))
try:
    o.y = 1
except AttributeError:
    r_NAME.append('read only')
---
class A_NAME:
    def __init__(self, *a, **k): self.log = ['A', a, k]
    @classmethod
    def make(cls, *a): return cls(*a)
    @staticmethod
    def plain(x): return ('plain', x)
class B_NAME(A_NAME):
    def __init__(self, x, *a, k=1, **kw):
        super().__init__(*a, **kw)
        self.log += ['B', x, k]
class C_NAME(A_NAME):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.log.append('C')
class NAME(B_NAME, C_NAME):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.log.append('D')
r_NAME = (
    NAME($any, $any, k=$int, z=2).log, NAME.make(1).log, NAME.plain(2),
    [c.__name__ for c in (NAME, B_NAME)], isinstance(NAME(0), (C_NAME, int)),
)
---
class NAME:
    made = []
    def __new__(cls, v=0, *rest):
        if v == 0: return 'not an instance'
        o = super().__new__(cls)
        cls.made.append(v)
        return o
    def __init__(self, v, *rest): self.v = (v, rest)
r_NAME = [getattr(NAME(*a), 'v', 'none') for a in ([], [$int], [1, $any])], NAME.made
---
class NAME:
    def __setattr__(self, n, v): super().__setattr__(n, (v, 'kept'))
    def __delattr__(self, n):
        seen.append(n)
        super().__delattr__(n)
    def __getattr__(self, n): return 'no ' + n
seen = []
o = NAME()
o.a = $any
r_NAME = [o.a, o.b, vars(o)]
del o.a
r_NAME += [o.a, seen]
---
class NAME:
    def __enter__(self): return self
    def __exit__(self, *a): return True
    def __iter__(self): return iter($list)
    def __len__(self): return $mid % 7
    def __contains__(self, x): return x == $any
    def __getitem__(self, k): return k
    def __call__(self, *a, **k): return a, k
    def __reversed__(self): return iter('zyx')
o = NAME()
r_NAME = [list(o), $any in o, o[$any], o[1:2], o[1, 2], o(1, k=2), list(reversed(o)), [*o]]
with o: r_NAME.append(1 / 0)
r_NAME.append(bool(o) if $bool else len(o))
---
class NAME:
    def __floordiv__(self, o): return ('fd', o)
    def __mod__(self, o): return ('mod', o)
    def __divmod__(self, o): return ('dm', o)
    def __rdivmod__(self, o): return ('rdm', o)
    def __pow__(self, o, m=None): return ('pow', o, m)
    def __invert__(self): return 'inv'
    def __pos__(self): return 'pos'
    def __matmul__(self, o): return ('mm', o)
    def __xor__(self, o): return ('xor', o)
    def __rshift__(self, o): return ('rs', o)
    def __floor__(self): return 'floor'
    def __ceil__(self): return 'ceil'
    def __trunc__(self): return 'trunc'
o = NAME()
r_NAME = [
    o // $any, o % $any, divmod(o, $any), divmod($num, o), pow(o, 2, 3), o ** $any, ~o, +o,
    o @ $any, o ^ 1, o >> 2, math.floor(o), math.ceil(o), math.trunc(o),
]
---
class NAME:
    def __init__(self, *v): self.v = v
    def __eq__(self, o): return isinstance(o, NAME) and self.v == o.v
    def __ne__(self, o): return 'ne'
    def __copy__(self): return NAME('copied')
    def __deepcopy__(self, memo): return NAME('deep')
o = NAME($any)
r_NAME = (
    o == NAME($any), o != o, copy.copy(o).v, copy.deepcopy([o])[0].v, o in [NAME($any), o],
    [NAME(1), NAME(2)].index(NAME(2)),
)
---
class NAME:
    items_ = {}
    def __class_getitem__(cls, k): return (cls.__name__[:2], k)
    def __dir__(self): return ['b', 'a']
    def __format__(self, spec): return spec.upper()
    def __str__(self): return 'str'
    def __bool__(self): return $bool
r_NAME = (
    NAME[$any], dir(NAME()), f'{NAME():abc}', '{:>5}'.format(NAME()), str(NAME()), bool(NAME()),
    [1 for _ in 'a' if NAME()],
)
---
class NAME(Exception):
    def __init__(self, code, *rest):
        super().__init__(code, *rest)
        self.code = code
    def __str__(self): return f'code {self.code}'
class B_NAME(NAME, ValueError): pass
try:
    raise B_NAME($any, $any) from $exc
except ValueError as e:
    r_NAME = (
        str(e), e.args, e.code, isinstance(e, NAME), repr(e.__cause__),
        e.__class__.__name__[:2] if False else 0,
    )
---
class NAME:
    x = $int
    class Inner:
        y = $any
        def get(self): return self.y
    f = lambda self, k=x: (self.x, k)
    g = staticmethod(lambda v: v)
    if x:
        z = 'truthy'
    for w in range(2): pass
r_NAME = NAME.Inner().get(), NAME().f(), NAME.g(3), getattr(NAME, 'z', 'falsy'), NAME.w
---
class NAME:
    n = 0
    def __init__(self): type(self).n += 1
    def __next__(self):
        if self.n > 3: raise StopIteration
        self.n += 1
        return self.n
    def __iter__(self): return self
a = NAME()
r_NAME = [next(a), list(a), next(a, 'end'), NAME.n, sum(NAME()), a.n, vars(a)]
---
@dataclasses.dataclass(order=$bool, frozen=$bool, eq=$bool)
class NAME:
    x: int
    y: list = dataclasses.field(default_factory=list)
    z: str = dataclasses.field(default=$str, repr=False, compare=False)
    def __post_init__(self): seen.append(self.x)
seen = []
a, b = NAME($int), NAME($int, [1], z='q')
r_NAME = [a, b, a == b, dataclasses.asdict(b), dataclasses.replace(a, x=5), seen]
try:
    r_NAME.append(a < b)
    a.x = 9
except Exception as e:
    r_NAME.append(type(e).__name__)
---
o = collections.ChainMap($dict, {'a': 1, 'b': $any})
r_NAME = [o.get('a'), 'b' in o, len(o), dict(o) == {**{'a': 1}, **o}, list(o.new_child({'z': 1})), o.maps[0]]
o['new'] = $any
r_NAME += [o['new'], sorted(o, key=str)]
---
r_NAME = (
    string.Template('$$x $$y $$$$ $$z1').safe_substitute($dict, x=$any),
    string.Template('$$a-$$b').substitute(a=$any, b=$str),
)
---
r_NAME = string.Template($str).safe_substitute(a=1), string.Template('$$' + $word).substitute($dict)
`);
