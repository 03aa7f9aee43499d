/** Expressions that give containers. */
export const containers: Readonly<Record<string, string>> = {
  num: `
$int
$float
$int
$bool
`,
  ilist: `
[]
[$int]
[$int, $int, $int]
[$small, $small]
[3, 1, 2]
[1, 2, 3, 4, 5]
list(range($small))
list(range($small, 10, $small))
[x for x in $ilist]
[x * $small for x in $ilist if x > $small]
sorted($ilist)
sorted($ilist, reverse=True)
$ilist + $ilist
$ilist * $small
$ilist[$small:]
$ilist[::$small]
list(map(abs, $ilist))
list(filter(None, $ilist))
list(reversed($ilist))
[len(x) for x in $slist]
list(itertools.accumulate($ilist))
list(itertools.islice(itertools.count($small, $small), 4))
list(itertools.takewhile(lambda x: x < 3, $ilist))
random.Random($small).sample(range(50), 4)
random.Random($small).choices($ilist, k=3)
[ord(c) for c in $str]
[*$ilist, $int]
`,
  flist: `
[]
[$float]
[$num, $num, $num]
[$float, $float, $float, $float]
[0.1] * 10
[1.5, 2.5, 3.0]
[1.0, 2, 3.5]
[x / 2 for x in $ilist]
[float(x) for x in $ilist]
[random.Random(7).random() for _ in range(3)]
`,
  slist: `
[]
[$str]
[$str, $str]
[$word, $word, $word]
$str.split()
$str.split($word)
$str.split(',')
$str.split(None, $small)
$str.rsplit(None, $small)
$str.rsplit($word, $small)
$str.split($char, $small)
$str.splitlines()
$str.splitlines(True)
list($str)
sorted($slist)
sorted($slist, key=len)
sorted($slist, key=str.lower, reverse=True)
[s.upper() for s in $slist]
re.findall($regex, $str)
re.split($regex, $str)
re.split(r'[,\\s]', $str, maxsplit=1)
[m.group() for m in re.finditer($regex, $str)]
list(dict.fromkeys($slist))
list($dict)
[f'{x}' for x in $list]
fnmatch.filter($slist, $glob)
`,
  list: `
[]
[$any]
[$any, $any]
[$any, $any, $any]
$ilist
$slist
$flist
list($tuple)
list($dict.items())
list($dict.values())
list(enumerate($slist))
list(enumerate($slist, $small))
list(zip($ilist, $slist))
list(zip($list, $list, $list))
list(itertools.chain($ilist, $slist))
list(itertools.product($ilist, 'ab'))
list(itertools.combinations($slist, 2))
list(itertools.permutations([1, 2, 3], $small))
list(itertools.zip_longest($ilist, $slist, fillvalue=$any))
list(itertools.compress($list, [1, 0, 1]))
list(itertools.pairwise($list))
list(itertools.starmap(pow, [(2, 3), ($small, 2)]))
list(itertools.repeat($any, $small))
list(itertools.dropwhile(lambda x: not x, $list))
list(itertools.filterfalse(None, $list))
list(itertools.chain.from_iterable([$slist, $ilist]))
list(itertools.combinations_with_replacement('ab', 2))
list(itertools.islice($list, $small, None, 2))
[(k, list(g)) for k, g in itertools.groupby(sorted($slist), key=len)]
[(k, len(list(g))) for k, g in itertools.groupby($str)]
[x for x in $list if x]
[(x, y) for x in $ilist for y in 'ab']
[[y for y in range(x % 4)] for x in $ilist]
$list + $list
$list[$small:$small]
$list[::-1]
$list * $small
sorted($list)
sorted($list, key=str)
sorted($list, key=repr, reverse=True)
sorted($list, key=lambda x: (type(x).__name__, str(x)))
sorted($set)
sorted($dict.items())
sorted($dict, key=$dict.get)
sorted($list, key=functools.cmp_to_key(lambda a, b: len(str(a)) - len(str(b))))
collections.Counter($slist).most_common()
collections.Counter($str).most_common($small)
list(collections.deque($ilist, maxlen=2))
list(filter(lambda x: x, $list))
list(map(lambda x, y: (x, y), $ilist, $slist))
list(map(str, $list))
[*$list, *$tuple]
copy.copy($list)
copy.deepcopy($list)
json.loads($jsontext)
list(range($small)) or $list
[$ilist, [$any]]
list(x for x in $list)
`,
  tuple: `
()
($any,)
($any, $any)
($int, $str)
tuple($list)
tuple($str)
divmod($num, $num)
$tuple + $tuple
$tuple[$small:]
$tuple * $small
$str.partition($str)
$str.rpartition($str)
math.frexp($float)
math.modf($float)
($float).as_integer_ratio()
tuple(sorted($slist))
tuple(x for x in $list)
re.match($regex, $str).groups()
re.search($regex, $str).span()
tuple($date.isocalendar())
$ver.release
collections.namedtuple('P', 'x y')($any, $any)
(*$list, $any)
$dict.popitem()
operator.itemgetter(0, -1)($list)
$dt.timetuple()[:6]
`,
  dict: `
{}
{$word: $int}
{$word: $any, $word: $num}
{'key': $any, 'a': $int, 'b': $float}
{'mem': $num, 'cores': $int}
{1: $any, 1.0: $any, True: $any}
{$num: $any, $num: $any}
{$any: $any}
dict(a=$any, b=$int)
dict($dict, c=$any)
dict([($word, $any), ($word, $any)])
dict(zip($slist, $ilist))
dict.fromkeys($slist, $int)
dict.fromkeys('abc')
{k: v for k, v in $dict.items()}
{x: len(x) for x in $slist}
{v: k for k, v in $dict.items()}
{**$dict, **$dict}
{**$dict, 'z': $any}
$dict | $dict
copy.deepcopy($dict)
copy.copy($dict)
dict(sorted($dict.items()))
dict(enumerate($slist))
json.loads(json.dumps($dict))
collections.Counter($slist)
collections.Counter($str)
dict(collections.Counter($str))
collections.OrderedDict($dict)
collections.Counter(a=$small, b=$small) + collections.Counter(a=$small, c=1)
collections.Counter(a=$small) - collections.Counter($word)
collections.Counter('aab') & collections.Counter('abb')
collections.Counter('aab') | collections.Counter('abb')
re.match($regex, $str).groupdict()
$dict.copy()
`,
  set: `
set()
{$small}
{$small, $small, $small}
{1, 2, 3}
{$word}
set($ilist)
{x % 5 for x in $ilist}
frozenset($ilist)
$set | $set
$set & $set
$set - $set
$set ^ $set
$set.union($ilist)
$set.intersection($ilist)
$set.difference($ilist)
$set.symmetric_difference($ilist)
set(range($small))
set(range($small, $mid % 40))
$set.copy()
$dict.keys() & {'a', 'b'}
{8, 16, 1, 33, 64}
set()
{True, 0}
{$int, $small}
`,
};
