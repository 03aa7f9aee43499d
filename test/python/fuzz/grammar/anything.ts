/** Dates, JSON, functions, and expressions of any type at all. */
export const anything: Readonly<Record<string, string>> = {
  date: `
datetime.date(2024, 2, 29)
datetime.date(1, 1, 1)
datetime.date(9999, 12, 31)
datetime.date(2023, $small, $small)
datetime.date(2020 + $small, 1, 1)
datetime.date.fromisoformat('2024-12-30')
datetime.date.fromisoformat($str)
datetime.date.fromordinal(738000)
$date + $td
$date - $td
$date.replace(day=$small)
$dt.date()
datetime.date.fromisocalendar(2024, $small, $small)
`,
  dt: `
datetime.datetime(2024, 2, 29, 13, 5, 7)
datetime.datetime(2024, 1, 1)
datetime.datetime(1999, 12, 31, 23, 59, 59, 999999)
datetime.datetime(2024, 1, $small, $small, $small)
datetime.datetime(2024, 7, 1, 12, tzinfo=datetime.timezone.utc)
datetime.datetime(2024, 7, 1, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=$small)))
datetime.datetime.fromisoformat('2024-05-06T07:08:09.123456')
datetime.datetime.fromisoformat('2024-05-06T07:08:09+02:00')
datetime.datetime.fromisoformat('20240506T070809Z')
datetime.datetime.fromisoformat($str)
datetime.datetime.strptime('2024-05-06 07:08', '%Y-%m-%d %H:%M')
datetime.datetime.strptime('06 May 2024 7 PM', '%d %b %Y %I %p')
datetime.datetime.strptime($str, $dateformat)
datetime.datetime.fromtimestamp($num % 4000000000)
datetime.datetime.fromtimestamp($int % 4000000000, tz=datetime.timezone.utc)
datetime.datetime.fromtimestamp($num)
datetime.datetime.combine($date, datetime.time(1, 2))
$dt + $td
$dt - $td
$dt.replace(hour=$small)
$dt.replace(tzinfo=None)
$dt.astimezone(datetime.timezone.utc)
`,
  td: `
datetime.timedelta(days=$small)
datetime.timedelta(hours=$num)
datetime.timedelta(minutes=$float)
datetime.timedelta($small, $int)
datetime.timedelta(seconds=$num)
datetime.timedelta(weeks=$small, milliseconds=$num)
datetime.timedelta()
datetime.timedelta(days=-1, microseconds=1)
$td + $td
$td - $td
$td * $small
$td * $float
$td / $small
$td // $small
-$td
abs($td)
$date - $date
$dt - $dt
$td % $td
`,
  json: `
$dict
$list
$ilist
$str
$num
$bool
None
{'a': [$num, $str, None], 'b': {'c': $bool}}
[]
{}
[[], {}]
{'x': $tuple}
`,
  jsonnum: `
'1'
'1.0'
'-0'
'-0.0'
'1e5'
'1E400'
'12345678901234567890'
'0.1'
' 7 '
'NaN'
'-Infinity'
'01'
'1.'
'.5'
'+1'
'true'
''
`,
  jsontext: `
'[1, 2.0, "a"]'
'{"a": [true, null], "b": {"c": "\\\\u00e9"}}'
'[]'
'{"a": 1, "a": 2}'
'[1,]'
'{"a" 1}'
'{a: 1}'
'"\\\\ud83d\\\\ude00"'
'[1] x'
'{'
'["\\n"]'
json.dumps($json)
$str
`,
  fn1: `
len
str
abs
repr
lambda x: x
lambda x: -x
lambda x, y=1: x
operator.neg
None
`,
  none: `
None
[].append(1)
print($any)
`,
  excname: `
ValueError
TypeError
KeyError
IndexError
LookupError
ZeroDivisionError
ArithmeticError
RuntimeError
Exception
OSError
StopIteration
`,
  leave: `
pass
return 'finally'
seen.append('finally')
raise ValueError('finally')
`,
  any: `
re.findall($rx, $subject)
[m.span() for m in re.finditer($rx, $subject)]
re.search($rx, $subject)
re.search($rx, $subject).groups()
re.match($rx, $subject).span()
re.fullmatch($rx, $subject)
re.sub($rx, '<\\g<0>>', $subject)
re.split($rx, $subject)
re.search($rx, $subject, re.I).lastindex
re.compile($rx, re.M).findall($subject, $small)
re.compile($rx).search($subject, $small, $small)
re.compile($rx, re.S).match($subject, $small).start()
range($small, $mid, $small)[$small:$small:$small]
range($small) == range($small, $mid)
$int in range($small, $mid, $small)
range($small, $mid).index($int)
list(range($mid))[$int:$int:$small]
$str[$int:$int:$small]
round($int, $small)
round($float, $small)
divmod($num, $num)
$num % $num, $num // $num
$int << $small, $int >> $mid
$bool & $bool, $bool | $int, $bool ^ $bool, ~$bool
max($num, $num, key=lambda v: -v)
min($slist, key=len, default=$any)
max($dict, key=$dict.get, default=None)
dict(zip($slist, $list, strict=True))
$dict | $dict
{**$dict, 'a': $any, **$dict}
[y := $any, y, (z := y)]
list(enumerate($slist, start=$any))
sorted($list, key=lambda v: v[0])
{$any for _ in range(2)}
{($small, $small), ($small,), $small}
{frozenset($ilist), $small, ($small, $float)}
hash((1, 2.5, ($small,))) == hash((1, 2.5, ($small,)))
[list(g) for _, g in itertools.groupby($list, key=type)]
str(list[int]), dict[str, int] | None
(lambda a, *b, c=$any, **d: (a, b, c, d))(*$list, **$dict)
$int
$int
$float
$float
$num
$str
$str
$str
$bool
None
$list
$ilist
$slist
$tuple
$dict
$set
$word
$date
$dt
$td
$ver
$lib
$lib
$lib
$std
$std
$std
$std
$std
$any if $any else $any
$any or $any
$any and $any
$list[$small]
$tuple[$small]
$dict[$word]
$dict.get($any)
$dict.get($word, $any)
$dict.setdefault($word, $any)
$dict.pop($word, $any)
next(iter($list), None)
max($list)
min($list)
max($list, key=str)
min($list, default=None)
sum($list)
sum([[1], [2]], $list)
(lambda x: x)($any)
(lambda x, *a, k=2, **kw: (x, a, k, kw))($any, $any, z=$any)
(lambda *a, **k: (a, k))(*$list, **$dict)
$list.pop()
$list.pop($small)
[$any][0]
getattr($any, 'real', None)
getattr($str, 'upper')()
type($any)
type($any).__name__
range($small)
range($small, $mid)
range($small, $small, $small)[::$small]
slice($small, None)
slice(1, 2, 3)
sorted($list)[0]
copy.deepcopy($any)
functools.partial(max, $int)($int)
functools.reduce(lambda a, b: b, $list)
operator.itemgetter($word)($dict)
operator.attrgetter('real')($num)
operator.methodcaller('upper')($str)
random.Random($int).choice($list)
random.Random($int).randint(1, 100)
random.Random($int).randrange(0, 100, 7)
random.Random($int).sample($list, 2)
random.Random($int).getrandbits(40)
random.Random($int).choices($list, weights=[1, 2, 3], k=2)
random.Random(min(1e9, $float)).randint(0, 10**6)
random.Random($str).randint(0, 10**6)
statistics.mode($list)
statistics.multimode($list)
(x := $any, x)
[y := $int, y + 1]
re.match($regex, $str)
re.search($regex, $str)
re.fullmatch($regex, $str)
re.match($regex, $str).group()
re.match($regex, $str).group(1)
re.search(r'(?P<n>\\d+)', $str)['n']
re.compile($regex)
re.compile($regex, re.I).sub('-', $str)
re.compile($regex).groups
re.subn($regex, 'x', $str)
json.loads($jsonnum)
json.loads($jsontext)
$dict.items()
$dict.keys()
$dict.values()
$any == $any
$any < $any
$any[$small:$small]
$any in $any
len($any)
int($any)
float($any)
list($any)
set($any) == set($any)
dict($any)
tuple($any)
str($any)
hash($any) == hash($any)
isinstance($any, typing.List)
typing.cast(int, $any)
$exc
$exc.args
[[]] * 2
...
NotImplemented
collections.deque($list)
collections.defaultdict(list)
collections.defaultdict(int, $dict)
sorted(dict($dict).keys() | {'q'}, key=repr)
$dict.keys() == $dict.keys()
datetime.time(1, 2, 3)
frozenset([$small])
undefined_name
`,
};
