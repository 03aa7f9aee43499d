import { raise } from '../errors.ts';
import { payForText } from '../text/size.ts';
import { tick } from '../meter.ts';
import { truthy } from '../objects/compare.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction } from '../objects/classes/native.ts';
import { typeName } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { flag, items } from '../objects/protocol.ts';

/** Reads words as a POSIX shell does: quotes join, a backslash escapes the next character. */
class Words {
  readonly #text: string;
  readonly #hasComments: boolean;
  #at = 0;

  constructor(text: string, hasComments: boolean) {
    this.#text = text;
    this.#hasComments = hasComments;
  }
  all(): string[] {
    const found: string[] = [];
    for (let word = this.#word(); word !== undefined; word = this.#word()) found.push(word);
    return found;
  }
  #next(): string | undefined {
    const c = this.#text[this.#at];
    this.#at += 1;
    return c;
  }
  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }
  /** The next word; `undefined` at the end. */
  #word(): string | undefined {
    let word = '';
    let isWord = false;
    for (let c = this.#next(); c !== undefined; c = this.#next()) {
      if (isSpace(c)) {
        if (isWord) return word;
      } else if (c === '#' && this.#hasComments) {
        this.#skipLine();
        if (isWord) return word;
      } else {
        isWord = true;
        word += c === '"' || c === "'" ? this.#quoted(c) : c === '\\' ? this.#escaped() : c;
      }
    }
    return isWord ? word : undefined;
  }
  #escaped(): string {
    return this.#next() ?? raise('ValueError', 'No escaped character');
  }
  #quoted(quote: string): string {
    let text = '';
    for (let c = this.#next(); c !== quote; c = this.#next()) {
      if (c === undefined) return raise('ValueError', 'No closing quotation');
      if (c !== '\\' || quote === "'") text += c;
      else {
        const escaped = this.#escaped();
        text += escaped === quote || escaped === '\\' ? escaped : `\\${escaped}`;
      }
    }
    return text;
  }
}

/** The module `shlex`. */
export const shlex = moduleOf('shlex', () => ({
  split: nativeFunction('split(s, comments=, posix=)', split),
  quote: nativeFunction('quote(s)', quote),
  join: nativeFunction('join(split_command)', (words: Value) => items(words).map(quote).join(' ')),
}));

function isSpace(c: string): boolean {
  return ' \t\r\n'.includes(c);
}

function quote(s: Value): string {
  if (!truthy(s)) return "''";
  if (typeof s !== 'string')
    return raise('TypeError', `expected string or bytes-like object, got '${typeName(s)}'`);
  tick(s.length >> 4);
  if (!/[^\w@%+=:,./-]/.test(s)) return s;
  payForText(s.length * 5);
  return `'${s.replaceAll("'", `'"'"'`)}'`;
}

function split(s: Value, comments: Value | undefined, posix: Value | undefined): Value {
  if (s === null) return raise('ValueError', 's argument must not be None');
  if (typeof s !== 'string')
    return raise('AttributeError', `'${typeName(s)}' object has no attribute 'read'`);
  if (posix !== undefined && !truthy(posix))
    raise('NotImplementedError', 'shlex.split() with posix=False is not supported');
  tick(s.length >> 2);
  return new PyList(new Words(s, flag(comments)).all());
}
