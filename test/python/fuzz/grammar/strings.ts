/** Expressions that give strings, patterns and versions. */
export const strings: Readonly<Record<string, string>> = {
  char: `
'a'
'Z'
'é'
'😀'
'0'
' '
$str[0:1]
chr($int)
chr(65 + $small)
$str[$small]
`,
  str: String.raw`
$str + $str
$str * $small
$small * $str
$str[$small]
$str[$small:$small]
$str[::-1]
$str[$small::$small]
$str[:$small]
$str.upper()
$str.lower()
$str.title()
$str.capitalize()
$str.swapcase()
$str.casefold()
$str.strip()
$str.lstrip()
$str.rstrip($str)
$str.strip($str)
$str.replace($str, $str)
$str.replace($str, $str, $small)
$str.zfill($small)
$str.zfill(12)
$str.ljust($small)
$str.rjust(12, $char)
$str.center(9)
$str.center(12, '*')
$str.expandtabs()
$str.expandtabs($small)
$str.join($slist)
','.join($slist)
''.join(reversed($str))
''.join(sorted($str))
''.join(c for c in $str if c.isalnum())
','.join(str(x) for x in $list)
' '.join(map(str, $list))
$str.partition($str)[0]
$str.rpartition($str)[2]
$str.removeprefix($str)
$str.removesuffix($str)
$str.split($word)[0]
$str.split()[-1]
$str.translate(str.maketrans('abc', 'xyz'))
$str.translate(str.maketrans({'a': 'AA', 'b': None, 'c': 99}))
$str.translate(str.maketrans('ab', 'cd', ' e'))
$str.translate({97: 'Q', 98: None})
str($any)
str($num)
str($float)
repr($any)
repr($str)
repr($num)
ascii($str)
ascii($any)
format($num, $spec)
format($str, $spec)
format($float, '.2f')
format($int, ',')
'{}'.format($any)
'{0} {1} {0}'.format($any, $num)
'{:>8}'.format($str)
'{:.3f}'.format($num)
'{a[0]} {b}'.format(a=$list, b=$any)
'{0[key]!r}'.format($dict)
'{!r:>10}'.format($str)
'{:{}}'.format($num, 8)
'{:{w}.{p}f}'.format($num, w=10, p=2)
'{x.year}'.format(x=$date)
'{:%Y-%m-%d}'.format($dt)
'{0}{}'.format(1, 2)
'{' .format()
'{{}} {}'.format($any)
'%s' % $num
'%s %s' % ($any, $any)
'%r' % ($any,)
'%d' % $num
'%5d|%-5d|%05d' % ($int, $int, $int)
'%x %X %o' % ($int, $int, $int)
'%#x' % $int
'%.2f' % $num
'%8.3f' % $num
'%e' % $num
'%g' % $num
'%+d' % $num
'% d' % $int
'%c' % $char
'%c' % $int
'%%'  % ()
'%(a)s-%(b)s' % {'a': $any, 'b': $num}
'%(a)s' % $dict
'%s' % ($any,)
'%*d' % ($small, $int)
'%.*f' % ($small, $num)
'%10s|%-10s|' % ($str, $str)
'%.3s' % $str
'%s and %s' % $tuple
'%a' % $str
'%i %u' % ($num, $int)
$str % $any
$str.format($any, $any)
$str if $bool else $str
$str or $str
$str and $str
f$fstring
f$fstring
f$fstring
f$fstring
max($str, $str)
min($slist)
hex($int)
oct($int)
bin($int)
type($any).__name__
json.dumps($json)
json.dumps($json, sort_keys=True)
json.dumps($json, indent=$small)
json.dumps($json, indent=2, sort_keys=True)
json.dumps($json, separators=(',', ':'))
json.dumps($str, ensure_ascii=False)
json.dumps($any, default=str)
json.dumps($any)
json.dumps($dict, indent='\t')
json.dumps({$any: 1})
json.dumps({1: $any, None: 2, 2.5: 3, True: 4}, skipkeys=True)
re.sub($regex, $word, $str)
re.sub($regex, r'<\g<0>>', $str)
re.sub('(a)(b)?', r'\2\1', $str)
re.sub('[a-z]', lambda m: m.group().upper(), $str)
re.sub($regex, $str, $str, count=$small)
re.escape($str)
$date.isoformat()
$dt.isoformat()
$dt.isoformat(' ')
$dt.isoformat(timespec='seconds')
$dt.strftime('%Y-%m-%d %H:%M:%S')
$dt.strftime($dateformat)
$date.strftime($dateformat)
$date.ctime()
str($td)
str($dt)
str($ver)
$ver.base_version
$ver.public
string.ascii_lowercase[$small:]
string.capwords($str)
random.Random($int).choice($slist)
operator.concat($str, $str)
operator.itemgetter($small)($str)
str.upper($str)
str.join(',', $slist)
'a' 'b' $str
$slist[$small]
$dict.get($word, $str)
str(type($any))
str($exc)
repr($exc)
$str.encode
`,
  regex: String.raw`
'a'
r'\d+'
r'\w+'
r'\s*'
'[abc]'
'[^a-c]+'
'a|b'
'(a)(b)?'
r'(?P<first>\w)(?P<rest>.*)'
'^a'
'b$'
'a*'
'a+?'
r'\bx'
r'(\w+)@(\w+)'
r'(?i)ABC'
r'(?<=a)b'
r'a(?=b)'
r'(?!x)\w'
r'(?:ab)+'
r'(a)\1'
'.'
'.*'
''
'a{2,3}'
'(?s).'
'(?m)^'
'[[]'
'(((a)))'
r'\.'
r'[\w.]+'
'x{,2}'
'a{'
r'\Aa'
r'c\Z'
'(?x) a b # c'
'(a|b)*'
'[a-'
'(a'
'*a'
r'\d{1,3}(?:,\d{3})*'
r'.*/(?P<tool>[^/]+)/(?P<version>[^/]+)$'
r'(?P<n>\d+)(?P=n)?'
r'[^\W\d_]+'
r'\S'
r'\D'
'é'
'😀?'
`,
  glob: `
'*'
'a*'
'?'
'[abc]'
'[!a]'
'*.py'
'[]'
'[a-c]?'
'[]a]'
'a.b'
`,
  ver: `
packaging.version.parse('1.0')
packaging.version.parse('1.0.1')
packaging.version.Version('2.0rc1')
packaging.version.parse('1.0.dev1')
packaging.version.parse('1.0.post1')
packaging.version.parse('1!2.0')
packaging.version.parse('0.7.17.1')
packaging.version.parse('1.0+local.7')
packaging.version.parse('v1.10')
packaging.version.parse('1.0a2.dev3')
packaging.version.parse($str)
`,
  dateformat: `
'%Y-%m-%d'
'%d/%m/%y'
'%H:%M:%S.%f'
'%A %B %j'
'%a %b %d %Y'
'%I:%M %p'
'%U %W %w %u'
'%G-W%V-%u'
'%c'
'%x %X'
'%%'
'%z|%Z'
'%y%m%d'
'%s'
'%e %D %T %R %F'
'%C'
'%-d'
'%'
'text'
'%h %n %t'
'%Q'
`,
  exc: `
ValueError('bad')
KeyError('k')
KeyError($any)
TypeError()
RuntimeError('a', 1)
Exception($any)
OSError(2, 'No such file')
IndexError($str)
StopIteration($int)
ZeroDivisionError('x')
`,
};
