import { blocks } from './blocks.ts';

/** The modules of the standard library that rule authors reach for next: expressions. */
export const stdlib: Readonly<Record<string, string>> = {
  dec: `
decimal.Decimal('1.10')
decimal.Decimal('-0.00')
decimal.Decimal('123456789.987654321')
decimal.Decimal('1E+5')
decimal.Decimal('2.5')
decimal.Decimal('-7.25E-3')
decimal.Decimal('9.99')
decimal.Decimal($int)
decimal.Decimal($float)
decimal.Decimal($str)
decimal.Decimal(str($num))
$dec + $dec
$dec - $dec
$dec * $dec
$dec / $dec
$dec // $dec
$dec % $dec
$dec ** $small
$dec ** $dec
$dec + $int
$int * $dec
$small - $dec
-$dec
+$dec
abs($dec)
round($dec, $small)
$dec.quantize($dec)
$dec.quantize(decimal.Decimal('0.01'), $rounding)
$dec.quantize(decimal.Decimal('1'), rounding=$rounding)
$dec.to_integral_value($rounding)
$dec.normalize()
$dec.sqrt()
$dec.max($dec)
$dec.min($dec)
$dec.copy_sign($dec)
$dec.scaleb($small)
$dec.fma($dec, $dec)
$dec.compare($dec)
$dec.ln()
$dec.exp()
$dec.log10()
decimal.Decimal('Infinity')
decimal.Decimal('nan')
sum([$dec, $dec, $int])
max($dec, $num)
decimal.Context(prec=5, rounding=$rounding).divide($dec, $dec)
decimal.Context(prec=3).create_decimal($str)
`,
  rounding: `
decimal.ROUND_UP
decimal.ROUND_DOWN
decimal.ROUND_CEILING
decimal.ROUND_FLOOR
decimal.ROUND_HALF_UP
decimal.ROUND_HALF_DOWN
decimal.ROUND_HALF_EVEN
decimal.ROUND_05UP
`,
  decspec: `
'.2f'
'e'
'.3e'
'g'
'.2g'
'%'
'.1%'
',.2f'
'>12'
'+.1f'
'010.2f'
'*^12'
','
'f'
''
$spec
`,
  prose: `
'The quick brown fox jumps over the lazy dog, twice-daily -- or so.'
'one two  three   four-five six--seven eight'
'  indented\\n\\tby tab\\n  twice\\n\\n'
'averyverylongwordindeed and short ones'
'First sentence.  Second one! third? "Fourth." end'
' '.join($slist)
$str
$str * $small
`,
  raw: `
$str.encode()
$word.encode('ascii')
bytes($ilist)
bytes($small)
$raw + $raw
$raw[$small:$small]
$raw * 2
base64.b64encode($raw)
base64.urlsafe_b64decode(base64.urlsafe_b64encode($raw))
base64.b64decode($str)
`,
  std: `
bisect.bisect_left(sorted($ilist), $num)
bisect.bisect_right($ilist, $int, $small)
bisect.bisect(sorted($slist), $str)
bisect.bisect($list, $any)
bisect.bisect_left([1, 2, 3], $int, key=lambda v: v * 2)
heapq.nlargest($small, $ilist)
heapq.nsmallest($small, $list)
heapq.nsmallest($small, $slist, key=len)
list(heapq.merge(sorted($ilist), [1, 2.5]))
list(heapq.merge($slist, $slist, key=len, reverse=$bool))
heapq.heappop($list)
textwrap.wrap($prose, $mid)
textwrap.wrap($prose, 12, break_long_words=$bool, break_on_hyphens=$bool)
textwrap.wrap($prose, 20, initial_indent='* ', subsequent_indent='  ', drop_whitespace=$bool)
textwrap.wrap($prose, 15, max_lines=$small, placeholder='~')
textwrap.fill($prose, 18, fix_sentence_endings=$bool, replace_whitespace=$bool, expand_tabs=$bool)
textwrap.shorten($prose, $mid)
textwrap.shorten($prose, 20, placeholder='...')
textwrap.dedent($prose)
textwrap.dedent('  a\\n    b\\n \\n  c' + $str)
textwrap.indent($prose, '> ')
textwrap.indent($prose, $word, lambda line: $bool)
shlex.split($str)
shlex.split($prose, comments=$bool)
shlex.quote($str)
shlex.join($slist)
shlex.split("a 'b c' \\"d \\" e\\\\ f # g")
traceback.format_exception_only($exc)
base64.b64encode($raw)
base64.b64decode(base64.b64encode($raw))
base64.b64decode($str, validate=$bool)
base64.b16encode($raw)
uuid.UUID(int=abs($int))
uuid.UUID('12345678123456781234567812345678').hex[$small:]
uuid.UUID($str)
uuid.UUID(int=$mid, version=4).version
$raw
$raw.decode()
$raw.decode('utf-8', 'replace')
$raw.decode('latin-1')
$raw.hex()
list($raw)
$raw == $raw, $raw < $raw
$raw in $raw
$dec
$dec
$dec
str($dec)
format($dec, $decspec)
int($dec), float($dec)
hash($dec)
hash($dec) == hash($num)
$dec == $num, $dec < $num
bool($dec), $dec.is_zero(), $dec.is_signed(), $dec.is_nan()
$dec.as_tuple()
$dec.as_integer_ratio()
divmod($dec, $dec)
round($dec)
math.floor($dec), math.ceil($dec)
sorted([$dec, $num, $dec])
{$dec: 1}.get($num)
$dec.to_eng_string()
$dec.adjusted(), $dec.number_class()
$dec.same_quantum($dec)
'%s %.2f %d' % ($dec, $dec, $dec)
`,
};

/** Statements about the same modules. Each leaves its result in `r_NAME`. */
export const STDLIB = blocks(String.raw`
class NAME(enum.Enum):
    A = $any
    B = $any
    C = $num
    def twice(self): return [self.value] * 2
    @classmethod
    def first(cls): return next(iter(cls))
r_NAME = [
    NAME.first(), len(NAME), [m.name for m in NAME], NAME.A.twice(), NAME(NAME.B.value) is NAME.B,
    NAME['A'], str(NAME.C), f'{NAME.A!s:>12}', NAME.A == NAME.B, NAME.A in NAME,
    list(NAME.__members__.items()),
]
---
class NAME(enum.IntEnum):
    LOW = $small
    MID = $int
    HIGH = enum.auto()
r_NAME = [
    list(NAME), NAME.LOW + $num, $num * NAME.MID, NAME.LOW < NAME.HIGH, max(NAME),
    sorted(NAME, reverse=True), f'{NAME.MID:5}', '%s %d' % (NAME.LOW, NAME.MID), repr(NAME.HIGH),
    {NAME.LOW: 1}.get($int), NAME.MID in $ilist, sum(NAME), -NAME.LOW, int(NAME.MID),
    round(NAME.MID), json.dumps({'a': NAME.MID}), NAME.LOW == $num, divmod(NAME.MID, 3),
    [1, 2, 3][:NAME.LOW], math.sqrt(abs(NAME.MID)),
]
---
class NAME(enum.StrEnum):
    A = $word
    B = enum.auto()
    C = $str
r_NAME = [
    list(NAME), NAME.A + $str, $str + NAME.A, NAME.B.upper(), NAME.A == $word, '-'.join(NAME),
    NAME.A in $str, NAME.A in {'a': 1}, sorted(NAME), f'{NAME.C:>4}|', json.dumps([NAME.A]),
    len(NAME.A), NAME.B[0], $str.replace(NAME.A, 'x'), $str.startswith(NAME.A), NAME.C.split(),
    NAME.B * 2,
]
---
class NAME(str, enum.Enum):
    A = 'a'
    B = $str
r_NAME = [
    list(NAME), NAME.A.value, str(NAME.A), f'{NAME.B}|', NAME.A == 'a', NAME('a'), NAME.A.title(),
    NAME.A < NAME.B, {'a': 5}[NAME.A], NAME.A + NAME.B,
]
---
class NAME(enum.Flag):
    R = enum.auto()
    W = enum.auto()
    X = enum.auto()
    RW = R | W
a, b = NAME.R | NAME.X, NAME.RW
r_NAME = [
    a, b, a & b, a ^ b, ~a, list(a), NAME.R in a, bool(a & NAME.W), len(b), str(a), repr(NAME(0)),
    a == NAME(5), list(NAME), {a: 1}[NAME(5)],
]
try:
    r_NAME.append(NAME($int))
except ValueError as e:
    r_NAME.append('no flag')
---
class NAME(enum.IntFlag):
    A = 1
    B = 2
    C = 4
r_NAME = [
    NAME.A | $small, NAME.B & $int, NAME.A ^ $small, ~NAME.C, NAME($small), NAME.A + $num,
    $small | NAME.B, list(NAME(5)), f'{NAME(3)}', NAME(7) == 7, NAME.A < $num, NAME.B in NAME(3),
]
---
class NAME(enum.Enum):
    A = (1, $word)
    B = ($small, $any)
    C = ($small, $any)
    def __init__(self, number, label):
        self.number = number
        self.label = label
    def __str__(self): return f'{self.number}/{self.label}'
    @property
    def both(self): return self.number, self.label
    @classmethod
    def _missing_(cls, value): return cls.A if value == $any else None
r_NAME = [[str(m) for m in NAME], NAME.A.both, NAME.B.value, repr(NAME.A), NAME((1, NAME.A.label)) is NAME.A]
try:
    r_NAME.append(NAME($any))
except ValueError as e:
    r_NAME.append(type(e).__name__)
---
NAME = enum.Enum('NAME', $slist)
r_NAME = list(NAME), len(NAME)
---
try:
    @enum.unique
    class NAME(enum.Enum):
        A = $small
        B = $small
    r_NAME = list(NAME)
except ValueError as e:
    r_NAME = str(e)
---
class NAME(enum.Enum):
    A = enum.auto()
    B = $num
    C = enum.auto()
    D = $any
    E = enum.auto()
r_NAME = list(NAME), NAME.E.value
---
log = []
@contextlib.contextmanager
def NAME(v):
    log.append('in')
    try:
        yield v
    except ($excname, ValueError) as e:
        log.append(type(e).__name__)
        if $bool: raise
    finally:
        log.append('out')
try:
    with NAME($any) as x:
        log.append(x)
        raise $excname('x')
except Exception as e:
    log.append(('escaped', type(e).__name__))
r_NAME = log
---
with contextlib.suppress($excname, $excname):
    r_NAME = 'before'
    raise $excname('gone')
    r_NAME = 'after'
---
log = []
def NAME(n, swallow):
    def leave(t, v, b):
        log.append((n, None if t is None else t.__name__))
        return swallow
    return leave
try:
    with contextlib.ExitStack() as s:
        s.push(NAME(1, $bool))
        s.callback(log.append, $any)
        s.enter_context(contextlib.nullcontext($any))
        s.push(NAME(2, $bool))
        if $bool: raise $excname('inside')
        log.append('end')
except Exception as e:
    log.append(type(e).__name__)
r_NAME = log
---
class NAME:
    def close(self): seen.append('closed')
seen = []
with contextlib.closing(NAME()) as c, contextlib.nullcontext($any) as d:
    r_NAME = [isinstance(c, NAME), d]
r_NAME.append(seen)
---
h = $ilist
heapq.heapify(h)
r_NAME = [list(h)]
heapq.heappush(h, $num)
r_NAME += [
    list(h), heapq.heappushpop(h, $num), list(h), heapq.heapreplace(h, $num), h,
    [heapq.heappop(h) for _ in range(len(h))],
]
---
h = []
for v in $list: heapq.heappush(h, (str(v), len(h)))
r_NAME = [heapq.heappop(h) for _ in range(len(h))]
---
a = sorted($ilist)
bisect.insort(a, $num)
bisect.insort_left(a, $num, $small)
bisect.insort(a, $int, key=lambda v: v)
r_NAME = a
---
decimal.getcontext().prec = 1 + $mid % 12
decimal.getcontext().rounding = $rounding
r_NAME = [$dec / 3, $dec * $dec, $dec + $dec, +$dec, $dec.sqrt() if $bool else 0]
---
with decimal.localcontext() as c:
    c.prec = 4
    c.traps[decimal.DivisionByZero] = $bool
    r_NAME = [$dec / $dec, $dec - $dec]
r_NAME.append(+$dec)
---
try:
    r_NAME = $dec / $dec, $dec % $dec
except decimal.InvalidOperation as e:
    r_NAME = 'invalid', str(e)
except ZeroDivisionError as e:
    r_NAME = 'zero', str(e)
---
try:
    raise $excname($any)
except Exception as e:
    r_NAME = traceback.format_exc().splitlines()[-1:], traceback.format_exception_only(type(e), e)
`);
