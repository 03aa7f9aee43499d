import { blocks } from './blocks.ts';

/** Statements that rules are made of. Each leaves its result in `r_NAME`. */
export const PATTERNS = blocks(String.raw`
a, b = $any, $any
a, b = b, a
r_NAME = a, b
---
a, *b, c = $list
r_NAME = a, b, c
---
(a, b), c = ($tuple, $any)
r_NAME = a, b, c
---
a = b = $list
a += [1]
r_NAME = a, b, a is b
---
a = [$any] * 3
b = a[:]
a[0] = 'changed'
r_NAME = a, b
---
r_NAME = [n for n in range(20) if all(n % d for d in range(2, n))]
---
r_NAME = {k: [v for v in $ilist if v != k] for k in $ilist}
---
d = collections.defaultdict(list)
for w in $slist:
    d[len(w)].append(w)
r_NAME = dict(d), d
---
d = collections.defaultdict(int)
for c in $str:
    d[c] += 1
r_NAME = sorted(d.items())
---
d = {}
for k, v in zip($slist, $list):
    d.setdefault(k, []).append(v)
r_NAME = d
---
q = collections.deque($list, maxlen=3)
q.append($any)
q.appendleft($any)
q.rotate($small)
r_NAME = q, list(q), len(q)
---
try:
    raise ValueError($str) from KeyError($any)
except ValueError as e:
    r_NAME = repr(e.__cause__), str(e)
---
try:
    try:
        1 / 0
    except ZeroDivisionError as e:
        raise KeyError('k') from None
except KeyError as e:
    r_NAME = str(e), e.__cause__, e.args
---
try:
    try:
        {}[$any]
    except KeyError:
        raise
except LookupError as e:
    r_NAME = type(e).__name__, e.args
---
try:
    r_NAME = $any
    raise $exc
except Exception as e:
    r_NAME = r_NAME, type(e).__name__, str(e), repr(e), e.args
---
r_NAME = []
try:
    for i in range(5):
        if i == $small: raise StopIteration
        r_NAME.append(i)
except (StopIteration, KeyError) as stop:
    r_NAME.append('stopped')
else:
    r_NAME.append('done')
finally:
    r_NAME.append('finally')
---
it = iter($list)
r_NAME = next(it, 'none'), next(it, 'none'), list(it), next(it, 'end')
---
r_NAME = 0
for i in range(10):
    if i % 2: continue
    if i > $int: break
    r_NAME += i
else:
    r_NAME = 'complete'
---
s = $set
s2 = s
s2 |= {1, 2}
r_NAME = s == s2, sorted(s2, key=repr), 1 in s
---
random.seed($int)
r_NAME = random.random(), random.randint(1, 6), random.choice($list), random.sample(range(100), 3), random.uniform(1, 2)
---
random.seed($str)
r_NAME = random.random(), random.randrange(10)
---
random.seed(min(1e9, $float))
r_NAME = random.random()
---
xs = list(range(10))
random.Random($small).shuffle(xs)
r_NAME = xs
---
xs = $list
xs[$small:$small] = $list
r_NAME = xs
---
xs = $ilist
xs.sort(key=lambda v: v % 3, reverse=$bool)
r_NAME = xs
---
xs = list(enumerate($slist))
xs.sort(key=lambda p: len(p[1]), reverse=True)
r_NAME = xs
---
mem = $num
cores = $int
mem = min(max(int(mem * 1.5), 4), 64) if mem else None
r_NAME = f'--mem={mem}G --cpus={cores} {mem / 3:.2f}'
---
input_size = $float
if 0.01 <= input_size < 2: r_NAME = 4
elif input_size >= 2 and not input_size > 100: r_NAME = round(input_size * 2.5, 1)
else: r_NAME = 'x'
---
tool = $str
parts = tool.split('/')
r_NAME = parts[-1] if len(parts) > 1 else tool, tool.rsplit('/', 1)[0]
---
m = re.match(r'(?P<owner>\w+)/(?P<name>[\w.]+)(?:/(?P<v>[\d.]+))?', $str)
r_NAME = m and (m.groupdict(), m.group('owner'), m.span('name'), m.lastindex, m.start(), m.end())
---
p = re.compile($regex)
r_NAME = p.findall($str), p.split($str), p.sub('_', $str), [m.span() for m in p.finditer($str)]
---
def NAME(m): return '[' + (m.group(1) or '-') + ']'
r_NAME = re.sub(r'(\w)?-', NAME, $str + '-a-')
---
a: int = $any
b: 'list[int]'
r_NAME = a
---
x = $any
del x
try:
    x
except NameError as e:
    r_NAME = 'gone'
---
if (n := len($list)) > 1: r_NAME = n
else: r_NAME = (n, [y := n, y * 2])
---
r_NAME = [*range(3), *$str, *{1: 2}], {*$ilist} == {1}, (*$tuple,), {**$dict, 'a': 1}
---
r_NAME = $any if $any else $any
assert r_NAME is not None or r_NAME is None
---
r_NAME = []
for i, (a, b) in enumerate(zip($list, $slist)):
    r_NAME.append((i, a, b))
---
xs = [3, 1, 2]
r_NAME = xs.sort(), sorted(xs), xs, xs.index(2), xs.pop(), xs
---
d = $dict
try:
    for k in d:
        d[str(k) + 'x'] = 1
        if len(d) > 9: break
    r_NAME = 'ok', d
except RuntimeError:
    r_NAME = 'changed'
---
d = {1: 'a', True: 'b', 1.0: 'c', '1': 'd', (1,): 'e', None: 'f'}
d[$any] = $any
r_NAME = d
---
counter = collections.Counter($str)
counter.update($slist)
counter['zz'] -= 1
r_NAME = counter.most_common(3), sum(counter.values()), +counter == counter, counter['nothing']
---
r_NAME = json.loads(json.dumps($json))
---
r_NAME = [f'{v:>{w}}|{v:<{w}}|{v:^{w}}' for v, w in [($num, 8), ($str, 6)]]
---
total = 0.0
for x in $flist: total += x
r_NAME = total, round(total, 3), int(total) if abs(total) < 1e9 else None
---
with_ = $any
class_ = {'if': with_}
r_NAME = class_['if']
---
from math import floor as fl, ceil
from datetime import datetime as dtc, timedelta
r_NAME = fl($num), ceil($num), dtc(2024, 1, 31) + timedelta(days=$small)
---
import os.path, itertools as it
r_NAME = list(it.islice(it.cycle('ab'), 3))
---
r_NAME = []
while len(r_NAME) < 3:
    r_NAME.append(len(r_NAME))
else:
    r_NAME.append('else')
---
x = $num; y = $num
r_NAME = divmod(x, y) if y else None, x // 1, x % 1, -x // 2, (x > y) - (x < y)
---
lines = $str.splitlines()
r_NAME = [(i, l.strip()) for i, l in enumerate(lines, 1) if l]
---
x = $float
r_NAME = str(x), repr(x), f'{x}', '%s' % x, json.dumps(x)
---
heap = sorted($ilist)
lo, hi = 0, len(heap)
while lo < hi:
    mid = (lo + hi) // 2
    if heap[mid] < $int: lo = mid + 1
    else: hi = mid
r_NAME = lo
---
a = $list
b = copy.deepcopy(a)
c = copy.copy(a)
a.append('x')
r_NAME = a, b, c
`);
