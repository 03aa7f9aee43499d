/**
 * Expressions that give numbers. `$type` stands for an expression of
 * that type; one template a line.
 */
export const numbers: Readonly<Record<string, string>> = {
  int: `
$int + $int
$int - $int
$int * $int
$int // $int
$int % $int
$int ** $small
$int << $small
$int >> $small
$int & $int
$int | $int
$int ^ $int
-$int
+$int
~$int
abs($int)
int($float)
int($str)
int($num)
int($word, $small)
int('ff', 16) + int('0b11', 0)
round($float)
round($num)
round($int, $small)
len($str)
len($any)
len($list)
len($dict)
len($set)
sum($ilist)
sum($list)
min($int, $int)
max($int, $int)
max($ilist)
min($ilist, default=$int)
max($list, key=$fn1, default=None)
ord($char)
hash($int)
pow($int, $small)
pow($small, $small, $small)
divmod($int, $int)[0]
divmod($num, $num)[1]
$int.bit_length()
($int).bit_length()
($int).bit_count()
($int).conjugate()
($int).real
($int).numerator
($int).as_integer_ratio()[0]
$str.find($str)
$str.rfind($str, $small)
$str.index($str)
$str.rindex($str)
$str.count($str)
$str.count($str, $small, $small)
$list.index($any)
$list.count($any)
$ilist.index($int, $small)
$tuple.count($any)
$tuple.index($any)
$int if $bool else $int
$any or $int
$ilist[$small]
$dict.get($word, $int)
$dict[$word]
bool($any) + 1
int($bool)
range($small)[$small]
range($mid, $mid, $small).index($int)
math.floor($num)
math.ceil($num)
math.trunc($num)
math.gcd($int, $int)
math.gcd($int, $int, $int)
math.lcm($small, $int)
math.factorial($small)
math.comb($small, $small)
math.perm($small, $small)
math.isqrt($int)
math.prod($ilist)
operator.add($int, $int)
operator.mod($int, $int)
functools.reduce(lambda a, b: a + b, $ilist)
functools.reduce(operator.mul, $ilist, 1)
statistics.median_low($ilist)
statistics.mode($ilist)
next(iter($ilist), $int)
sum(1 for _ in $list)
sum(x for x in $ilist if x > $int)
$date.toordinal()
$date.weekday()
$date.isoweekday()
$date.year
$dt.hour
$dt.microsecond
$td.days
$td.seconds
$ver.major
$ver.micro
collections.Counter($str)[$char]
sum(collections.Counter($list).values())
min(max(int($num * 2), 1), 64)
len(set($list))
`,
  float: `
$num / $num
$float + $num
$float - $float
$num * $float
$float // $num
$float % $num
$float ** $small
$float ** $float
-$float
abs($float)
float($int)
float($str)
float($num)
round($float, $small)
round($float, 2)
round($num, $small)
round($float, None)
sum($flist)
sum($flist, $num)
max($float, $num)
min($num, $float)
max($num, $num, $num)
$float if $bool else $float
float('1_0.5')
($float).real
math.sqrt($num)
math.pow($num, $small)
math.fabs($num)
math.fmod($num, $num)
math.modf($float)[0]
math.frexp($float)[0]
math.ldexp($float, $small)
math.copysign($num, $num)
math.fsum($flist)
math.log2($num)
math.log10($num)
math.log($int)
math.log($int, 2)
math.exp($small)
math.hypot($small, $small)
math.dist([$small, $small], [$small, $small])
math.degrees($small)
math.radians($small)
math.remainder($num, $num)
math.ulp($float)
math.nextafter($float, $float)
math.inf
math.nan
math.pi
math.e
math.prod($flist)
statistics.mean($flist)
statistics.mean($ilist)
statistics.fmean($flist)
statistics.median($flist)
statistics.median($ilist)
statistics.stdev($flist)
statistics.pstdev($ilist)
statistics.variance($flist)
statistics.pvariance($flist)
statistics.harmonic_mean([$num, $num])
statistics.quantiles($flist)[0]
statistics.median_high($flist)
$td.total_seconds()
$td / $td
$dt.timestamp()
divmod($float, $num)[0]
random.Random($int).random()
random.Random($int).uniform($num, $num)
random.Random($str).random()
random.Random($int).triangular($small, 10, 3)
round(random.Random($int).gauss(0, 1), 9)
round(random.Random($int).expovariate(1.5), 9)
round(random.Random($int).betavariate(2, 3), 9)
round(random.Random($int).normalvariate(0, 1), 9)
json.loads($jsonnum)
$float.is_integer()
($float).as_integer_ratio()
input_size * 1.5 if (input_size := $float) else 0.0
operator.truediv($num, $num)
$dict.get($word, $float)
`,
  bool: `
$num < $num
$num <= $num
$num > $num
$num >= $num
$num == $num
$num != $num
$int < $int < $int
$num <= $num < $num
$any == $any
$any != $any
$any is None
$any is not None
not $any
$bool and $bool
$bool or $bool
$any in $list
$any not in $list
$str in $str
$str not in $str
$word in $dict
$any in $set
$int in range($small, $mid)
$num in $tuple
$str < $str
$list < $list
$list == $list
$tuple >= $tuple
$set <= $set
$set < $set
$set == $set
$set.issubset($set)
$set.issuperset($list)
$set.isdisjoint($list)
$dict == $dict
$str.startswith($str)
$str.startswith(($str, $str))
$str.startswith($str, $small)
$str.endswith($str)
$str.endswith(($str, $str), $small, $small)
$str.isdigit()
$str.isalpha()
$str.isalnum()
$str.isdecimal()
$str.isnumeric()
$str.isspace()
$str.isupper()
$str.islower()
$str.istitle()
$str.isidentifier()
$str.isascii()
$str.isprintable()
isinstance($any, int)
isinstance($any, (str, float))
isinstance($any, bool)
isinstance($any, list)
isinstance($any, (tuple, (dict, set)))
isinstance($any, int | None)
issubclass(bool, int)
callable($any)
hasattr($any, 'append')
hasattr($any, 'lower')
hasattr($any, 'missing')
any($list)
all($list)
any(x > $int for x in $ilist)
all(isinstance(x, int) for x in $list)
bool($any)
bool($str)
math.isclose($num, $num)
math.isclose($float, $float, rel_tol=1e-3)
math.isclose($num, $num, abs_tol=$float)
math.isnan($num)
math.isinf($num)
math.isfinite($num)
$date < $date
$dt == $dt
$dt < $dt
$td < $td
$date == $dt
$ver < $ver
$ver == $ver
$ver.is_prerelease
fnmatch.fnmatch($str, '*a*')
fnmatch.fnmatch($word, $glob)
re.match($regex, $str) is None
bool(re.search($regex, $str))
$float.is_integer()
isinstance($num, numbers.Number)
isinstance($any, collections.abc.Mapping)
isinstance($any, collections.abc.Sequence)
isinstance($any, collections.abc.Iterable)
isinstance($any, collections.abc.Hashable)
operator.lt($num, $num)
operator.contains($list, $any)
type($any) is type($any)
type($any) == int
1 == 1.0 == True
$str == $str
$any is $none
`,
};
