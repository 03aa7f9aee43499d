import { blocks } from './blocks.ts';

/**
 * The ways a program leaves loops, handlers, generators and contexts. Each
 * leaves its result in `r_NAME`.
 */
export const FLOWS = blocks(String.raw`
def NAME(xs):
    for x in xs:
        try:
            if x == $int: return 'returned'
            if not x: continue
            if x == $small: break
            seen.append(x)
        finally:
            seen.append('f')
    else:
        return 'exhausted'
    return 'broken'
seen = []
r_NAME = NAME($ilist), seen
---
def NAME():
    try:
        return seen.append('try')
    except Exception:
        return 'except'
    else:
        return 'else'
    finally:
        $leave
seen = []
r_NAME = NAME(), seen
---
def NAME(x):
    try:
        try:
            return 1 / x
        finally:
            seen.append('inner')
            if x == $small: raise KeyError(x)
    except ($excname, ZeroDivisionError) as e:
        return type(e).__name__, repr(e.__context__)
    except Exception as e:
        raise RuntimeError('x') from e
seen = []
try:
    r_NAME = NAME($num)
except RuntimeError as e:
    r_NAME = repr(e.__cause__), seen
---
n_NAME = 0
while n_NAME < 6:
    n_NAME += 1
    if n_NAME % 2: continue
    if n_NAME == $small: break
else:
    n_NAME = 'else'
r_NAME = n_NAME
---
r_NAME = []
for i in range(4):
    for j in $ilist:
        if j == i: break
        r_NAME.append((i, j))
    else:
        r_NAME.append('no break')
        continue
    if i == $small: break
---
seen = []
def NAME(x):
    seen.append(x)
    return x
r_NAME = [NAME($num) < NAME($num) < NAME($num), NAME($int) == NAME($int) != NAME($int), seen]
---
seen = []
def NAME(x):
    seen.append(x)
    return x
r_NAME = [
    NAME($any) or NAME($any) and NAME($any), NAME($bool) if NAME($bool) else NAME(1),
    not NAME($any), seen,
]
---
seen = []
def NAME(x):
    seen.append(x)
    return x
xs = [[1, 2], [3, 4]]
xs[NAME($small % 2)][NAME(0)] += NAME($int)
d = {}
d[NAME('k')] = NAME($any)
r_NAME = xs, d, seen
---
seen = []
def NAME(*a, **k):
    seen.append((a, k))
    return len(seen)
r_NAME = (
    NAME(NAME(1), *[NAME(2), NAME(3)], k=NAME(4), **{'z': NAME(5)}),
    {NAME('a'): NAME('b'), NAME('c'): NAME('d')}, seen,
)
---
xs = list(range(10))
del xs[$small:$small]
del xs[::$small]
r_NAME = xs
---
xs = list(range(8))
del xs[$small], xs[$small]
xs[$small::2] = $ilist
r_NAME = xs
---
xs = $list
xs[$small:$small:$small] = $list
r_NAME = xs
---
a, *b = $list
*c, d = $tuple
r_NAME = a, b, c, d
---
(a, *b), [c, *d], *e = $list, $tuple, *$ilist
r_NAME = a, b, c, d, e
---
for NAME, *rest in [$tuple, $str, $list]:
    r_NAME = NAME, rest
---
def NAME():
    got = []
    while True:
        try:
            x = yield len(got)
            got.append(x)
        except ValueError as e:
            got.append(str(e))
        except GeneratorExit:
            seen.append(got)
            raise
seen = []
g = NAME()
r_NAME = [next(g), g.send($any), g.throw(ValueError($word)), next(g), g.close(), seen]
---
def NAME():
    try:
        yield 1
    except $excname as e:
        yield type(e).__name__
    finally:
        seen.append('done')
seen = []
g = NAME()
r_NAME = [next(g), g.throw($exc), list(g), seen]
---
def inner_NAME():
    try:
        x = yield 1
        seen.append(x)
        y = yield x
        return y
    except ValueError as e:
        return ('caught', str(e))
def NAME():
    r = yield from inner_NAME()
    seen.append(r)
    yield 'last'
seen = []
g = NAME()
r_NAME = [next(g), g.send($any)]
r_NAME.append(g.throw(ValueError('v')) if $bool else g.send($any))
r_NAME.append(seen)
---
def NAME(n):
    if n > 0:
        yield n
        yield from NAME(n - 1)
        yield -n
r_NAME = list(NAME($small)), sum(NAME(3)), max(NAME(2), default=0), dict(zip(NAME(2), NAME(2)))
---
g = (x * y for x in $ilist if x for y in range(x % 3))
r_NAME = next(g, 'none'), list(g), next(g, 'end')
---
class NAME:
    def __init__(self, tag, swallow): self.tag, self.swallow = tag, swallow
    def __enter__(self):
        seen.append(('in', self.tag))
        if self.tag == $small: raise KeyError(self.tag)
        return self.tag
    def __exit__(self, t, v, tb):
        seen.append(('out', self.tag, t and t.__name__, v and len(v.args)))
        return self.swallow
seen = []
def run():
    for i in range(3):
        with NAME(1, $bool) as a, NAME(2, $bool) as b:
            seen.append((a, b))
            if i == 1: continue
            if i == $small: return 'returned'
            raise $exc
    return 'end'
try:
    r_NAME = run(), seen
except Exception as e:
    r_NAME = type(e).__name__, seen
---
def NAME(n): return NAME(n + 1) + 1
try:
    r_NAME = NAME(0)
except RecursionError as e:
    r_NAME = type(e).__name__
---
fs = []
for i in range(3):
    def NAME(x, i=i): return x, i, fs_len
    fs.append(NAME)
fs_len = len(fs)
r_NAME = [f($int) for f in fs], i
---
def NAME():
    total = 0
    def add(x):
        nonlocal total
        total += x
        def again(y):
            nonlocal total
            total *= y
            return total
        return again
    return add($int)(2), add($int)(3), total
r_NAME = NAME()
---
r_NAME = [last := x for x in $ilist], [y for x in $ilist if (y := x * 2) > 1]
try:
    r_NAME += (last, y)
except NameError as e:
    r_NAME += ('unset',)
---
r_NAME = (
    {k: v for k, v in zip($slist, $ilist)},
    {v: k for k, v in $dict.items() if isinstance(v, (int, str))},
    {x: y for x in 'ab' for y in 'cd'},
)
---
try:
    import numpy_NAME as np
except ImportError as e:
    np = None
if np is None:
    from math import floor as np
r_NAME = np($num)
---
try:
    raise $exc
except ($excname, $excname) as e:
    r_NAME = 'first', type(e).__name__
except (LookupError, ArithmeticError, OSError) as e:
    r_NAME = 'second', isinstance(e, LookupError)
except Exception as e:
    r_NAME = 'third', len(e.args)
else:
    r_NAME = 'none'
---
try:
    try:
        raise $exc
    except Exception as e:
        raise $exc
except Exception as e:
    r_NAME = type(e).__name__, e.__context__ is None, e.__cause__
---
e = 'outer'
try:
    raise $exc
except Exception as e:
    pass
try:
    r_NAME = e
except NameError:
    r_NAME = 'unbound'
---
def NAME():
    for x in $list:
        yield x
        if x == $any: return 'early'
    return 'late'
def run():
    r = yield from NAME()
    yield ('r', r)
r_NAME = list(run())
---
r_NAME = [*map(lambda p: p[0] * p[1], zip($ilist, $ilist))], [*zip($list, $ilist, strict=$bool)]
---
r_NAME = (
    sorted($list, key=lambda v: (type(v).__name__, str(v)), reverse=$bool),
    sorted($ilist, key=lambda v: 1 / v),
)
---
xs = $list
ys = xs
ys *= 2
xs += ('t',)
t = $tuple
u = t
u += (1,)
r_NAME = xs, ys is xs, t, u
`);
