import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyList } from '../../objects/collections/list.ts';
import { float, integer } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { call, codePoints } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { invalidJson } from './error.ts';

/** Deepest nesting read or written. */
export const MAX_DEPTH = 200;

/** What a caller of `loads` makes of numbers and objects. Of the two for objects `pairs` wins. */
export type JsonHooks = {
  readonly [hook in 'float' | 'int' | 'constant' | 'object' | 'pairs']?: Value | undefined;
};

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

/** Reads JSON; keeps ints and floats apart. */
export class JsonReader {
  readonly #text: string;
  readonly #hooks: JsonHooks;
  #at = 0;

  constructor(text: string, hooks: JsonHooks = {}) {
    this.#text = text;
    this.#hooks = hooks;
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
      const [name, value] = word;
      this.#at += name.length;
      return typeof value === 'boolean' || value === null
        ? value
        : this.#made('constant', name, () => value);
    }
    const number = this.#take(NUMBER);
    if (number === null) return fail('Expecting value', this.#text, this.#at);
    const [digits, fraction, exponent] = number;
    if (fraction !== undefined || exponent !== undefined)
      return this.#made('float', digits, () => float(Number(digits)));
    return this.#made('int', digits, () =>
      digits.length > 4300
        ? raise('ValueError', 'Exceeds the limit (4300 digits) for integer string conversion')
        : integer(BigInt(digits)),
    );
  }
  /** What a hook makes of a text, or what there is without one. */
  #made(hook: keyof JsonHooks, text: string, plain: () => Value): Value {
    const own = this.#hooks[hook] ?? null;
    return own === null ? plain() : call(own, [text]);
  }
  #string(): string {
    const found = this.#take(STRING);
    if (found === null) return this.#brokenString();
    const text: unknown = JSON.parse(found[0]);
    return typeof text === 'string' ? text : '';
  }
  /** Finds what is wrong with a string. @throws JSONDecodeError */
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
  #object(depth: number): Value {
    const { object = null, pairs = null } = this.#hooks;
    const entries = this.#entries(depth);
    if (pairs !== null)
      return call(pairs, [new PyList(entries.map((entry) => new PyTuple(entry)))]);
    const dict = new PyDict(entries);
    return object === null ? dict : call(object, [dict]);
  }
  #entries(depth: number): (readonly [string, Value])[] {
    const entries: (readonly [string, Value])[] = [];
    this.#at += 1;
    this.#take(SPACE);
    if (this.#accept('}')) return entries;
    do {
      this.#take(SPACE);
      if (this.#text[this.#at] !== '"')
        fail('Expecting property name enclosed in double quotes', this.#text, this.#at);
      const key = this.#string();
      this.#take(SPACE);
      if (!this.#accept(':')) fail("Expecting ':' delimiter", this.#text, this.#at);
      this.#take(SPACE);
      entries.push([key, this.#value(depth + 1)]);
      this.#take(SPACE);
    } while (this.#accept(','));
    return this.#accept('}') ? entries : fail("Expecting ',' delimiter", this.#text, this.#at);
  }
  #accept(c: string): boolean {
    const found = this.#text[this.#at] === c;
    if (found) this.#at += 1;
    return found;
  }
}

function fail(message: string, text: string, at: number): never {
  throw invalidJson(message, text, codePoints(text.slice(0, at)));
}
