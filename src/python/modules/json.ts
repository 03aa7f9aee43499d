import { PyError, raise } from '../errors.ts';
import { payForText } from '../text/size.ts';
import { tick } from '../meter.ts';
import { truthy, sorted } from '../objects/compare.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { exceptionClass, exceptionNamed, PyException } from '../objects/classes/exceptions.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import type { PyModule } from '../objects/classes/module.ts';
import { nativeFunction } from '../objects/classes/native.ts';
import { PyFloat, asInt, float, integer } from '../objects/numbers/number.ts';
import { PyObject } from '../objects/object.ts';
import { typeName, typeOf } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { call, flag } from '../objects/protocol.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { floatText } from '../text/float.ts';
import { repr } from '../text/repr.ts';

/** `json.JSONDecodeError`. */
export const decodeError = exceptionClass(
  'JSONDecodeError',
  exceptionNamed('ValueError'),
  'json.decoder',
);
/** Deepest nesting read or written. */
const MAX_DEPTH = 200;

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const WORDS: readonly (readonly [string, Value])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', float(Number.NaN)],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
];

/** Reads JSON, keeping ints and floats apart. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }
  document(): Value {
    this.#take(SPACE);
    const value = this.#value(0);
    this.#take(SPACE);
    return this.#at < this.#text.length ? fail('Extra data', this.#text, this.#at) : value;
  }
  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at += found[0].length;
    return found;
  }
  #value(depth: number): Value {
    tick(1);
    if (depth > MAX_DEPTH)
      raise('RecursionError', 'maximum recursion depth exceeded while decoding a JSON object');
    const c = this.#text[this.#at];
    if (c === '{') return this.#object(depth);
    if (c === '[') return this.#array(depth);
    if (c === '"') return this.#string();
    const word = WORDS.find(([name]) => this.#text.startsWith(name, this.#at));
    if (word !== undefined) {
      this.#at += word[0].length;
      return word[1];
    }
    const number = this.#take(NUMBER);
    if (number === null) return fail('Expecting value', this.#text, this.#at);
    const [digits, fraction, exponent] = number;
    if (fraction !== undefined || exponent !== undefined) return float(Number(digits));
    return digits.length > 4300
      ? raise('ValueError', 'Exceeds the limit (4300 digits) for integer string conversion')
      : integer(BigInt(digits));
  }
  #string(): string {
    const found = this.#take(STRING);
    if (found === null) return this.#brokenString();
    const text: unknown = JSON.parse(found[0]);
    return typeof text === 'string' ? text : '';
  }
  /** What is wrong with a string that is none. @throws JSONDecodeError */
  #brokenString(): never {
    const start = this.#at;
    const [good = ''] =
      /^"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/u.exec(this.#text.slice(start)) ?? [];
    const at = start + good.length;
    const rest = this.#text.slice(at, at + 2);
    if (rest === '' || rest === '\\')
      return fail('Unterminated string starting at', this.#text, start);
    if (rest.startsWith('\\u')) return fail('Invalid \\uXXXX escape', this.#text, at + 1);
    if (rest.startsWith('\\')) return fail('Invalid \\escape', this.#text, at);
    return fail('Invalid control character at', this.#text, at);
  }
  #array(depth: number): PyList {
    const items: Value[] = [];
    this.#at += 1;
    this.#take(SPACE);
    if (this.#accept(']')) return new PyList(items);
    do {
      this.#take(SPACE);
      items.push(this.#value(depth + 1));
      this.#take(SPACE);
    } while (this.#accept(','));
    return this.#accept(']')
      ? new PyList(items)
      : fail("Expecting ',' delimiter", this.#text, this.#at);
  }
  #object(depth: number): PyDict {
    const dict = new PyDict();
    this.#at += 1;
    this.#take(SPACE);
    if (this.#accept('}')) return dict;
    do {
      this.#take(SPACE);
      if (this.#text[this.#at] !== '"')
        fail('Expecting property name enclosed in double quotes', this.#text, this.#at);
      const key = this.#string();
      this.#take(SPACE);
      if (!this.#accept(':')) fail("Expecting ':' delimiter", this.#text, this.#at);
      this.#take(SPACE);
      dict.set(key, this.#value(depth + 1));
      this.#take(SPACE);
    } while (this.#accept(','));
    return this.#accept('}') ? dict : fail("Expecting ',' delimiter", this.#text, this.#at);
  }
  #accept(c: string): boolean {
    const found = this.#text[this.#at] === c;
    if (found) this.#at += 1;
    return found;
  }
}

type Style = {
  readonly indent: string | undefined;
  readonly comma: string;
  readonly colon: string;
  readonly sort: boolean;
  readonly ascii: boolean;
  readonly fallback: Value;
  /** Leave out keys that JSON has no word for. */
  readonly skip: boolean;
  /** Write NaN and infinities, which JSON does not have. */
  readonly nan: boolean;
};

/** The module `json`: text only, no files. */
export const jsonModule: PyModule = moduleOf('json', {
  loads: nativeFunction('loads(s, /)', (text: Value) => {
    if (typeof text !== 'string')
      return raise(
        'TypeError',
        `the JSON object must be str, bytes or bytearray, not ${typeName(text)}`,
      );
    tick(text.length >> 4);
    return new Reader(text).document();
  }),
  dumps: nativeFunction(
    'dumps(obj, *, indent=, separators=, sort_keys=, ensure_ascii=, default=, skipkeys=, allow_nan=, check_circular=)',
    (v: Value, indent, separators, sort, ascii, fallback, skip, nan) => {
      // A text alone is encoded before anything is indented.
      const style = styleOf(
        typeof v === 'string' ? undefined : indent,
        separators,
        sort,
        ascii,
        fallback,
      );
      return dumped(v, { ...style, skip: flag(skip), nan: nan === undefined || truthy(nan) }, 0);
    },
  ),
  JSONDecodeError: decodeError,
});

function fail(message: string, text: string, at: number): never {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const full = `${message}: line ${line} column ${at - before.lastIndexOf('\n')} (char ${at})`;
  throw new PyError('JSONDecodeError', [full], full, new PyException(decodeError, [full]));
}

function dumped(given: Value, style: Style, depth: number): string {
  tick(1);
  const v = underlyingOf(given);
  if (depth > MAX_DEPTH) raise('ValueError', 'Circular reference detected, or nested too deep');
  if (typeof v === 'string') return quoted(v, style.ascii);
  const plain = scalar(v);
  if (!style.nan && /^-?[NI]/.test(plain ?? ''))
    raise('ValueError', 'Out of range float values are not JSON compliant');
  if (plain !== undefined) return plain;
  const wrap = (open: string, parts: readonly string[], close: string): string => {
    if (parts.length === 0) return open + close;
    const [before, after] =
      style.indent === undefined
        ? ['', '']
        : [`\n${style.indent.repeat(depth + 1)}`, `\n${style.indent.repeat(depth)}`];
    const text =
      open +
      before +
      parts.join(style.indent === undefined ? style.comma : `${style.comma}${before}`) +
      after +
      close;
    payForText(text.length);
    return text;
  };
  if (v instanceof PyList || v instanceof PyTuple)
    return wrap(
      '[',
      v.items.map((item) => dumped(item, style, depth + 1)),
      ']',
    );
  if (v instanceof PyDict) {
    const all = style.sort ? sorted(v.keys(), undefined, false) : v.keys();
    const keys = style.skip
      ? all.filter((key) => typeof key === 'string' || scalar(key) !== undefined)
      : all;
    return wrap(
      '{',
      keys.map(
        (key) =>
          `${quoted(keyName(key), style.ascii)}${style.colon}${dumped(v.get(key) ?? null, style, depth + 1)}`,
      ),
      '}',
    );
  }
  if (style.fallback !== null) return dumped(call(style.fallback, [v]), style, depth + 1);
  return raise('TypeError', `Object of type ${typeOf(v).name} is not JSON serializable`);
}

/** The int, float or str that an enumeration's member is. */
function underlyingOf(v: Value): Value {
  return v instanceof PyObject ? (v.underlying ?? v) : v;
}

function quoted(text: string, ascii: boolean): string {
  tick(text.length >> 4);
  const json = JSON.stringify(text);
  return ascii
    ? json.replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;
}

function scalar(v: Value): string | undefined {
  if (v === null) return 'null';
  if (typeof v === 'boolean') return String(v);
  if (asInt(v) !== undefined) return repr(v);
  const x = v instanceof PyFloat ? v.v : typeof v === 'number' ? v : undefined;
  if (x === undefined) return undefined;
  return Number.isFinite(x)
    ? floatText(x)
    : Number.isNaN(x)
      ? 'NaN'
      : x > 0
        ? 'Infinity'
        : '-Infinity';
}

function keyName(given: Value): string {
  const key = underlyingOf(given);
  if (typeof key === 'string') return key;
  return (
    scalar(key) ??
    raise('TypeError', `keys must be str, int, float, bool or None, not ${typeName(key)}`)
  );
}

function styleOf(
  indent: Value | undefined,
  separators: Value | undefined,
  sort: Value | undefined,
  ascii: Value | undefined,
  fallback: Value | undefined,
): Style {
  const n = indent === undefined || indent === null ? undefined : (asInt(indent) ?? indent);
  if (typeof n === 'number') payForText(n);
  if (n !== undefined && typeof n !== 'string' && asInt(n) === undefined)
    raise('TypeError', `can't multiply sequence by non-int of type '${typeName(n)}'`);
  const text =
    n === undefined ? undefined : typeof n === 'string' ? n : ' '.repeat(Math.max(0, Number(n)));
  const [comma, colon] =
    separators instanceof PyTuple || separators instanceof PyList ? separators.items : [];
  return {
    indent: text,
    comma: typeof comma === 'string' ? comma : text === undefined ? ', ' : ',',
    colon: typeof colon === 'string' ? colon : ': ',
    sort: sort !== undefined && truthy(sort),
    ascii: ascii === undefined || truthy(ascii),
    fallback: fallback ?? null,
    skip: false,
    nan: true,
  };
}
