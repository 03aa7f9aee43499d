/** Literals by type: ordinary values first, then the edges where implementations differ. */
export const literals: Readonly<Record<string, readonly string[]>> = {
  int: `0 1 2 3 4 5 7 8 10 12 16 24 64 100 128 255 1000 -1 -2 -3 -7 -100 True False 1024 65536 1000000 -1000000
    9007199254740991 9007199254740992 9007199254740993 -9007199254740993 18446744073709551616 1208925819614629174706176
    123456789012345678901234567890 0x1f 0b101 0o17 1_000 2147483648 -2147483649`.split(/\s+/),
  small: '0 1 2 3 4 5 6 7 -1 -2 -3 10 True'.split(' '),
  mid: '0 1 2 5 10 100 255 1000 65536 -1 -3 -100 True'.split(' '),
  float:
    `0.0 -0.0 0.5 1.0 1.5 2.0 2.5 -2.5 3.14159 0.1 0.2 0.3 8.0 10.0 100.0 0.01 1e3 1e-3 1e16 1e15 1e22 1e-5 1e300 -1e300
    1e-300 5e-324 1.7976931348623157e308 123456789.123 0.30000000000000004 2.675 1.005 9007199254740993.0 3.7 7.25
    float('inf') float('-inf') float('nan') 1e100 4.35 0.15 1234.5678 99.5 -0.5 1e17`.split(/\s+/),
  str: String.raw`''|'a'|'b'|'abc'|'ABC'|'Hello World'|'hello'|' x '|'a,b,c'|'a b  c'|'tool_id'|
'toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa_mem/0.7.17'|'1'|'42'|'-7'|'3.5'|'1e3'|
'user@example.org'|'10G'|'0'|'x=1;y=2'|'\n'|'a\nb\r\nc'|'tab\there'|'it\'s'|'say "hi"'|
'both \' and "'|'back\\slash'|'éà'|'ÀÉ'|'ß'|'ŉ'|'İ'|'ǅ'|'😀'|'a😀b'|'日本語'|'Ωmega'|'ς'|'ﬁ'|'²'|
'½'|'٣'|'\u00a0'|'\u200b'|'\x00'|'\x1c'|'{}'|'{0} {1}'|'%s'|'%'|'AbC dEf'|"they're"|
'foo_bar-baz'|'___'|'aaa'|'abab'|'ab'*3|'1.2.3'|'true'|'None'|'  lead'|'trail  '|'\t'|
'Mixed123'|'ΣΑΣ'|'e\u0301'|'A'`.split(/\|\n?/),
  word: `'a' 'b' 'c' 'x' 'abc' 'key' 'name' 'mem' 'cores' 'high' 'gpu' 'pulsar' 'training' 'a1' 'Z'`.split(
    ' ',
  ),
  bool: ['True', 'False'],
  none: ['None'],
};

/** Parts of format specifications, joined by the generator. */
export const specs = {
  fill: ['', '', '', '*', '0', ' ', 'x', '😀'],
  align: ['', '', '<', '>', '^', '='],
  sign: ['', '', '', '+', '-', ' '],
  flags: ['', '', '', '', '#', '0', 'z'],
  width: ['', '', '1', '5', '8', '12', '20'],
  grouping: ['', '', '', ',', '_'],
  precision: ['', '', '.0', '.1', '.2', '.3', '.6', '.10', '.17', '.25'],
  type: ['', '', 's', 'd', 'f', 'e', 'g', 'x', 'X', 'o', 'b', '%', 'n', 'c', 'G', 'E', 'F'],
} as const;
