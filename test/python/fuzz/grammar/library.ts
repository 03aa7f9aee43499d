import { blocks } from './blocks.ts';

/**
 * What rules reach for of the library besides: URLs, bytes of numbers, statistics,
 * names of functions, special names.
 */
export const library: Readonly<Record<string, string>> = {
  url: `
'http://user:pw@Host.example:8080/a/b;p=1?x=1&y=2#frag'
'https://h/a/../b/./c?q=b%20c'
'//h/p'
'/just/path?q#f'
'mailto:a@b'
'?q=1&q=2&r=&s'
'../up/./one'
''
'http://[::1]:80/x'
'http://h:99999/'
'ftp://h/a;type=i'
'a b/é?x=%20&y=%C3%A9+z#ü'
'http://' + $str + '/' + $word
$str
$word + '/' + $str
urllib.parse.urljoin($url, $url)
urllib.parse.quote($str)
`,
  template: String.raw`
r'\1'
r'\2-\g<1>'
r'<\g<0>>'
r'\g<n>'
r'\g<' + $str + '>'
r'[\10]\07\101'
r'\n\t\\'
r'\q'
$str + '\\'
$str
`,
  uexpr: `
urllib.parse.urlparse($url)
urllib.parse.urlsplit($url)
urllib.parse.urlparse($url, scheme=$word, allow_fragments=$bool)
urllib.parse.urlparse($url).geturl()
[getattr(urllib.parse.urlparse($url), k) for k in ('hostname', 'port', 'username', 'password')]
urllib.parse.urlparse($url)._replace(path=$str, query=$word).geturl()
urllib.parse.urlunparse((($word), $word, $str, '', $word, ''))
urllib.parse.urlunsplit(urllib.parse.urlsplit($url))
urllib.parse.urljoin($url, $url)
urllib.parse.urldefrag($url)
urllib.parse.parse_qs($url)
urllib.parse.parse_qsl('a=1&b=&c' + $str, keep_blank_values=$bool)
urllib.parse.parse_qsl($str, strict_parsing=$bool)
urllib.parse.urlencode($dict)
urllib.parse.urlencode({$word: $list, 'z': $any}, doseq=$bool)
urllib.parse.urlencode([($any, $any)], safe=$word, quote_via=urllib.parse.quote)
urllib.parse.quote($str, safe=$str)
urllib.parse.quote_plus($str)
urllib.parse.unquote($url)
urllib.parse.unquote_plus($str + '%41+%zz%ff')
urllib.parse.unquote_to_bytes($url)
`,
  bexpr: `
$int.to_bytes($small, $order)
$int.to_bytes(20, $order, signed=$bool)
abs($int).to_bytes(16, $order)
int.from_bytes($raw, $order, signed=$bool)
int.from_bytes($ilist, $order)
$raw.split($raw)
$raw.split($raw, $small)
$raw.rsplit(maxsplit=$small)
$raw.split()
$raw.strip()
$raw.strip($raw)
$raw.partition($raw)
$raw.find($raw, $small, $small)
$raw.rfind($mid)
$raw.count($raw)
$raw.index($raw)
$raw.replace($raw, $raw, $small)
$raw.startswith(($raw, $raw))
$raw.endswith($raw, $small)
$raw.splitlines($bool)
$raw.upper() + $raw.title() + $raw.swapcase()
$raw.removeprefix($raw)
$raw.center($small, b'*'.__class__([42]))
$raw.zfill($small), $raw.expandtabs($small), $raw.ljust($small)
$raw.isalpha(), $raw.isdigit(), $raw.isspace(), $raw.isupper(), $raw.istitle(), $raw.isascii()
$raw.hex(':', $small)
str($raw, 'latin-1')
`,
  order: `
'big'
'little'
$word
`,
  mexpr: `
$float.hex()
float.fromhex($float.hex())
float.fromhex($str)
math.cbrt($num)
math.erf($num)
math.erfc($num)
round(math.gamma($num), 6)
round(math.lgamma($num), 6)
statistics.pvariance($flist, $num)
statistics.stdev($flist, xbar=$num)
statistics.variance($ilist, $small)
statistics.fmean($flist, $flist)
statistics.fmean([$num, $num], weights=[$small, $small])
statistics.harmonic_mean([$num, $num, 3], weights=[1, $small, 2])
statistics.geometric_mean($flist)
statistics.median_grouped($ilist, $num)
statistics.covariance($flist, $flist)
statistics.correlation([$num, $num, 2], [1, $num, $num])
statistics.linear_regression([$num, 2, 5], [1, $num, $num])
statistics.linear_regression($ilist, $ilist, proportional=$bool)
statistics.mean([$dec, $dec])
statistics.stdev([$dec, $dec, 2])
statistics.NormalDist($num, $num)
statistics.NormalDist($num, 2.5).cdf($num)
statistics.NormalDist($num, 1.5).pdf($num)
statistics.NormalDist(1.5, $num).inv_cdf(0.3)
statistics.NormalDist(1, 2).overlap(statistics.NormalDist($num, $num))
statistics.NormalDist(1, 2) + $num, $num - statistics.NormalDist(3, 1), statistics.NormalDist(3, 1) * $num
statistics.NormalDist.from_samples($flist)
statistics.NormalDist(2, 0.5).quantiles($small)
$dec.next_plus(), $dec.next_minus()
$dec.compare_total($dec)
`,
  sexpr: `
$any.__class__
$any.__class__.__name__
hasattr($any, '__len__'), hasattr($any, '__iter__'), hasattr($any, '__getitem__')
hasattr($any, '__call__'), hasattr($any, '__next__'), hasattr($any, '__contains__')
$list.__len__()
$str.__getitem__($small)
$dict.__contains__($any)
$any.__str__()
$any.__repr__()
next(itertools.tee($list)[1], None)
[list(t) for t in itertools.tee($str, 3)]
re.sub($rx, $template, $subject)
re.sub('(?P<n>a)(b)?', $template, $subject)
re.subn('zz(z)', $template, $subject)
(re.match('(?P<n>.)', $str + 'x').expand($template),)
re.search($rx, $subject).regs
$cls(x=$any)
vars(object()), $any
`,
  cls: `
list
slice
float
object
str
dict
`,
  lib: `
$uexpr
$uexpr
$bexpr
$mexpr
$sexpr
$sexpr
`,
};

/** Statements about the same. Each leaves its result in `r_NAME`. */
export const LIBRARY = blocks(String.raw`
random.seed($int)
r_NAME = [
    random.gauss(0, 1), random.random(), random.gauss($small, 2), random.gauss(),
    random.normalvariate(0, 1),
]
random.seed($small)
r_NAME.append(random.gauss(0, 1))
---
g = random.Random($int)
random.seed(3)
r_NAME = [
    g.gauss(0, 1), random.gauss(0, 1), g.gauss(0, 1), random.gauss(0, 1),
    round(g.vonmisesvariate(0, 4), 9),
]
---
def NAME(f):
    @functools.wraps(f)
    def inner(*a, **k):
        """inner"""
        return f(*a, **k)
    return inner
@NAME
def work(x, y=$any):
    """work"""
    return x, y
work.label = $any
again = NAME(work)
r_NAME = [
    work.__name__, work.__doc__, work.__qualname__, work($any), work.__wrapped__($any),
    again.label, again.__wrapped__ is work,
]
---
class NAME:
    def __init__(self, f):
        functools.update_wrapper(self, f, assigned=('__name__', '__doc__'))
        self.f = f
    def __call__(self, *a): return self.f(*a)
@NAME
def work(x):
    'doc'
    return x
r_NAME = [work.__name__, work.__doc__, work($any), work.__wrapped__ is work.f]
---
@functools.lru_cache(maxsize=$small)
def NAME(x):
    'cached'
    return str(x)
for v in $slist: NAME(v)
r_NAME = NAME.cache_info(), NAME.__name__, NAME.__doc__, NAME.__wrapped__($word)
---
p = functools.partial(int, base=2)
functools.update_wrapper(p, int, assigned=('__name__',), updated=())
r_NAME = p.__name__, p('101'), p.__wrapped__ is int
---
@dataclasses.dataclass
class NAME:
    a: int
    b: str = $any
    c: list = dataclasses.field(default_factory=list)
    d: dict = None
r_NAME = NAME.__doc__, NAME.__annotations__, NAME($any).__doc__, [f.type for f in dataclasses.fields(NAME)]
---
class NAME:
    'doc'
    x: int = $any
class Sub(NAME): pass
r_NAME = NAME.__doc__, Sub.__doc__, Sub().__doc__, NAME.__annotations__, Sub.x
---
NAME = collections.namedtuple('NAME', 'a b')
r_NAME = NAME.__doc__, NAME($any, 2).__doc__
---
a, b = itertools.tee(iter($list))
next(a, None)
c, d = itertools.tee(b)
r_NAME = list(a), next(c, 'end'), list(b) if $bool else 0, list(d), list(c)
---
def NAME():
    yield $any
    yield 2
g = NAME()
r_NAME = [g.__next__(), g.__name__, next(g), hasattr(g, '__iter__')]
---
try:
    r_NAME = re.sub($rx, $template, $subject)
except re.error as e:
    r_NAME = 'error'
except IndexError as e:
    r_NAME = 'no group'
---
u = urllib.parse.urlparse($url)
q = urllib.parse.parse_qs(u.query)
q[$word] = [$any, $any]
r_NAME = u._replace(query=urllib.parse.urlencode(q, doseq=True)).geturl(), u.hostname, u._asdict()
`);
