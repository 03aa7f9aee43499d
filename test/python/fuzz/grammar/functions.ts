import { blocks } from './blocks.ts';

/** Definitions and calls of functions and generators. Each leaves its result in `r_NAME`. */
export const FUNCTIONS = blocks(String.raw`
def NAME(x, y=$any, *a, k=$any, **kw):
    return x, y, a, k, kw
r_NAME = NAME($any, $any, $any, k=$any, z=$any)
---
def NAME(a, /, b, *, c=$int):
    return [a, b, c]
r_NAME = (NAME($int, b=$int), NAME($int, $int, c=$int))
---
def NAME(a, b=2, /, c=3, *, d):
    return a, b, c, d
r_NAME = NAME(*$ilist, d=$any)
---
def NAME(**kw):
    return kw
r_NAME = NAME(**$dict)
---
def NAME(n):
    return 1 if n < 2 else n * NAME(n - 1)
r_NAME = NAME(abs($small))
---
def NAME(n):
    for i in range(n):
        got = yield i * $int
    return 'end'
r_NAME = list(NAME(3))
---
def NAME():
    x = yield 1
    y = yield x
    return (x, y)
g = NAME()
r_NAME = [next(g), g.send($any)]
try:
    g.send($any)
except StopIteration as e:
    r_NAME.append(e.value)
---
def NAME(xs):
    yield from xs
    r = yield from (x for x in $list)
    yield r
r_NAME = list(NAME($list))
---
def NAME():
    try:
        yield 1
        yield 2
    finally:
        log.append('closed')
log = []
g = NAME()
next(g)
g.close()
r_NAME = (log, list(g))
---
def NAME(f):
    def inner(*a, **k):
        return ('wrapped', f(*a, **k))
    return inner
@NAME
def decorated(x, y=1):
    return x, y
r_NAME = decorated($any, y=$any)
---
def NAME():
    n = 0
    def bump(by=1):
        nonlocal n
        n += by
        return n
    return bump
b = NAME()
r_NAME = [b(), b($int), b()]
---
count_NAME = $int
def NAME():
    global count_NAME
    count_NAME += 1
    return count_NAME
r_NAME = NAME(), NAME(), count_NAME
---
def NAME(x=[]):
    x.append($int)
    return x
r_NAME = NAME(), NAME(), NAME([$any])
---
@functools.lru_cache(maxsize=None)
def NAME(n):
    return n if n < 2 else NAME(n - 1) + NAME(n - 2)
r_NAME = NAME(20)
---
NAME = [lambda x, i=i: (x, i) for i in range(3)]
r_NAME = [f($int) for f in NAME]
---
NAME = [lambda: i for i in range(3)]
r_NAME = [f() for f in NAME]
---
def NAME(x):
    if x > $num:
        return 'big'
    elif x == $num:
        return 'same'
r_NAME = [NAME(v) for v in $flist]
---
def NAME(x):
    try:
        return 1 / x
    except ZeroDivisionError:
        return 'zero'
    finally:
        seen.append(x)
seen = []
r_NAME = NAME($num), NAME(0), seen
---
def NAME():
    for i in range(3):
        try:
            continue
        finally:
            seen.append(i)
    while True:
        try:
            break
        finally:
            seen.append('b')
    return seen
seen = []
r_NAME = NAME()
---
def NAME():
    try:
        raise ValueError($any)
    finally:
        return 'swallowed'
r_NAME = NAME()
---
def NAME(a: int, b: 'str' = None, *args: float) -> bool:
    "doc"
    return (a, b, args)
r_NAME = NAME($any), NAME.__name__, NAME.__doc__
---
def NAME(x):
    print(x_later)
    x_later = 1
r_NAME = None
try:
    NAME(1)
except NameError as e:
    r_NAME = type(e).__name__
---
def NAME(*a, sep=$str):
    return sep.join(map(str, a))
r_NAME = NAME(*$list), NAME(1, *$tuple, 2), NAME(sep=$str, *$slist)
---
def NAME(a, b):
    return a, b
r_NAME = NAME(**{'a': $any, 'b': $any}), NAME($any, **{'b': 1})
---
def NAME(a, b): return a
r_NAME = NAME($any, a=$any)
---
def NAME(a, b): return a
r_NAME = NAME(*$tuple)
---
def NAME(a, *, b): return a
r_NAME = NAME($any)
---
def NAME(n=3):
    total = 0
    while n:
        n -= 1
        if n == $small: continue
        if n == $small: break
        total += n
    else:
        total = 'all'
    return total
r_NAME = NAME(), NAME(5)
---
x_NAME = $any
def NAME():
    return [x_NAME for _ in range(2)], {x_NAME_ for x_NAME_ in $ilist} == set()
r_NAME = NAME()
---
r_NAME = (lambda f: f(f, 5))(lambda f, n: 1 if n == 0 else n * f(f, n - 1))
---
def NAME(x):
    def g():
        return x
    x = $any
    return g
r_NAME = NAME(1)()
---
def NAME(x):
    match_ = x.get('a') if isinstance(x, dict) else None
    return match_ or 'none'
r_NAME = NAME($any)
---
def NAME(x):
    assert x, 'must be true'
    return x
try:
    r_NAME = NAME($any)
except AssertionError as e:
    r_NAME = e.args
---
def NAME(a, b=1):
    c = 2
    return sorted(locals())
r_NAME = NAME(1)
---
NAME = functools.partial(lambda *a, **k: (a, k), $any, key=$any)
r_NAME = NAME($any), NAME(key=1), NAME.args
---
def NAME(k): return (len(str(k)), str(k))
r_NAME = sorted($list, key=NAME), max($list, key=NAME), sorted($slist, key=NAME, reverse=True)
`);
