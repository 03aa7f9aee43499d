/** A text in quotes, as repr writes it. */
const QUOTED = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/y;

/** Words in the text of a set whose elements hash alike in every run. */
const STEADY = /\b(?:frozenset|True|False|inf)\b|\d[\d.]*e[+-]?\d+/g;

/**
 * A value without what differs from run to run of CPython too: the addresses of objects, and the
 * order of sets in which something hashes by its text or address, which are those with a text,
 * None, NaN, or an object in them.
 */
export function settled(outcome: string): string {
  return new Reader(outcome.replaceAll(/ at 0x[0-9a-f]+/gi, '')).all();
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }
  all(): string {
    let text = '';
    while (this.#at < this.#text.length)
      text += this.#text[this.#at] === '}' ? this.#take() : this.#piece();
    return text;
  }
  #take(): string {
    const c = this.#text[this.#at] ?? '';
    this.#at += 1;
    return c;
  }
  #quoted(): string | undefined {
    QUOTED.lastIndex = this.#at;
    const found = QUOTED.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found === undefined
      ? undefined
      : found.slice(0, 1) + settled(found.slice(1, -1)) + found.slice(-1);
  }
  /** A character, a text, or what stands in brackets. */
  #piece(): string {
    const quoted = this.#quoted();
    if (quoted !== undefined) return quoted;
    const c = this.#take();
    return c === '{'
      ? this.#braces()
      : c === '('
        ? `(${this.#until(')')}`
        : c === '['
          ? `[${this.#until(']')}`
          : c;
  }
  #until(end: string): string {
    let text = '';
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] === end) return text + this.#take();
      text += this.#piece();
    }
    return text;
  }
  /** A set, or a dict, which keeps its order. */
  #braces(): string {
    const elements = [''];
    let isDict = false;
    while (this.#at < this.#text.length && this.#text[this.#at] !== '}') {
      if (this.#text.startsWith(', ', this.#at)) {
        this.#at += 2;
        elements.push('');
        continue;
      }
      isDict ||= this.#text.startsWith(': ', this.#at);
      elements.push((elements.pop() ?? '') + this.#piece());
    }
    this.#take();
    const hashesByText = elements.some((element) =>
      /[A-Za-z'"<]/.test(element.replaceAll(STEADY, '')),
    );
    return `{${(isDict || !hashesByText ? elements : elements.sort()).join(', ')}}`;
  }
}
