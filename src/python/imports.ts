/** A module that a program imports, by its top-level name, and where first; lines count from 1. */
export type ImportedModule = { readonly module: string; readonly line: number };

/** What a program imports, in the order of its lines; each module once in each list. */
export type FoundImports = {
  /** without these the program cannot run: it reaches their imports in any case */
  readonly certain: readonly ImportedModule[];
  /** in functions, below conditions, and where an ImportError is caught */
  readonly possible: readonly ImportedModule[];
};

/**
 * The modules that a program imports.
 * Lines of IPython (`%time`, `!ls`) are no Python. Text that is not Python is read as far as it can
 * be: this is no parser, so that it takes a thousandth of a second for 100 KB.
 */
export function importsIn(source: string): FoundImports {
  return source.includes('import') ? new ImportReader(source).all() : { certain: [], possible: [] };
}

/** Whether what is inside happens: always, never for sure, or if what is tried is not caught. */
type Block = {
  readonly indent: number;
  readonly isCertain: boolean;
  /** of `try`: what it imports, until it is known what is caught */
  readonly tried?: ImportedModule[];
};

const CATCHES = /^\s*$|\b(?:ImportError|ModuleNotFoundError|BaseException|Exception)\b/;
const MAIN = /^\s*__name__\s*==\s*(['"])__main__\1\s*$/;
const SUPPRESSES = /(?:\bsuppress|[rR]aises\w*)\s*\(/;
const EXITS = new Set(['exit', 'quit']);
const EXIT_OF = /^\s*\.\s*_?exit\s*\(/;
const DEFINED = /\bdef\s+(exit|quit)\b/g;
const CALLED = /^\s*\(/;
/** `sys.exit(1) if wrong else None`, and the like. */
const MAYBE = /\)\s*(?:if|and|or)\b/;
const NAME = /[\p{ID_Start}_][\p{ID_Continue}]*/uy;
const BLANK = /(?:[ \t\f]|\\\r?\n)*/y;
const FROM = /\s*([\p{ID_Start}_][\p{ID_Continue}]*)/uy;
/** Everything up to a character that may end a string, a bracket, a line or a statement. */
const PLAIN = /[^'"#()[\]{}\n;:\\]+/y;
const COMMENT = /[^\n]*/y;
const STRINGS: Readonly<Record<string, RegExp>> = {
  "'''": /(?:[^\\]|\\[\s\S])*?'''/y,
  '"""': /(?:[^\\]|\\[\s\S])*?"""/y,
  // A string that its line does not end is an error; the next line is read all the same.
  "'": /(?:[^'\\\n]|\\[\s\S])*'?/y,
  '"': /(?:[^"\\\n]|\\[\s\S])*"?/y,
};
const HEADERS = new Set([
  'def',
  'async',
  'class',
  'if',
  'elif',
  'else',
  'for',
  'while',
  'with',
  'try',
  'except',
  'finally',
  'match',
  'case',
]);

class ImportReader {
  readonly #text: string;
  /** functions of the program that have the name of one that ends it */
  readonly #defined: ReadonlySet<string | undefined>;
  readonly #found: ImportedModule[] = [];
  readonly #possible: ImportedModule[] = [];
  #at = 0;
  #blocks: Block[] = [];
  #lines = { upTo: 0, line: 1 };

  constructor(text: string) {
    this.#text = text;
    this.#defined = new Set([...text.matchAll(DEFINED)].map(([, name]) => name));
  }

  all(): FoundImports {
    while (this.#at < this.#text.length) this.#logicalLine();
    this.#close(0);
    return { certain: firstOf(this.#found), possible: firstOf(this.#possible) };
  }

  #logicalLine(): void {
    const begun = this.#at;
    this.#pass(BLANK);
    const indent = this.#at - begun;
    const next = this.#text[this.#at];
    if (next === '\n' || next === '\r') return void (this.#at += 1);
    if (next === '#' || next === '%' || next === '!' || next === '?') return this.#skipLine();
    const word = this.#take(NAME);
    // What follows `try` belongs to it and says what is caught.
    this.#close(indent, word);
    this.#statement(word, indent);
  }

  /** Reads a statement whose first word is read, and those behind it in its line. */
  #statement(word: string, indent: number): void {
    if (HEADERS.has(word) && this.#header(word, indent)) return;
    if (word === 'import' || word === 'from') this.#import(word);
    const { text, end } = this.#skip(';\n');
    // Nothing behind it is ever reached.
    if (this.#blocks.length === 0 && this.#isLast(word, text))
      return void (this.#at = this.#text.length);
    if (end !== ';') return;
    this.#pass(BLANK);
    this.#statement(this.#take(NAME), indent);
  }

  /** Does a statement end the program? @param rest what follows its first word */
  #isLast(word: string, rest: string): boolean {
    if (word === 'raise') return true;
    const form = word === 'sys' || word === 'os' ? EXIT_OF : EXITS.has(word) ? CALLED : undefined;
    return form?.test(rest) === true && !MAYBE.test(rest) && !this.#defined.has(word);
  }

  /** @returns false when the word is a name, such as `match = 1` */
  #header(word: string, indent: number): boolean {
    const isSoft = word === 'match' || word === 'case';
    const begun = this.#at;
    const { text, end } = this.#skip(':\n');
    if (end !== ':' || (isSoft && !/^[ \t]*(?:#|\r?\n|$)/.test(this.#restOfLine()))) {
      this.#at = begun;
      return false;
    }
    this.#open(word, text, indent);
    this.#pass(BLANK);
    const next = this.#text[this.#at];
    if (next === '#' || next === '\n' || next === '\r' || next === undefined) this.#skipLine();
    else this.#statement(this.#take(NAME), indent);
    return true;
  }

  #open(word: string, text: string, indent: number): void {
    const before = this.#blocks.at(-1);
    const tried = before?.indent === indent ? before.tried : undefined;
    if (word === 'except' && CATCHES.test(text))
      for (const one of tried?.splice(0) ?? []) this.#possible.push(one);
    if (tried !== undefined) this.#blocks.pop();
    const block = (isCertain: boolean, own?: ImportedModule[]): Block => ({
      indent,
      isCertain,
      ...(own && { tried: own }),
    });
    switch (word) {
      case 'try':
        this.#blocks.push(block(true, []));
        break;
      // What was tried is kept until the last of them.
      case 'except':
      case 'else':
        this.#blocks.push(block(false, tried));
        break;
      case 'finally':
        this.#keep(tried);
        this.#blocks.push(block(true));
        break;
      case 'class':
        this.#blocks.push(block(true));
        break;
      case 'with':
        this.#blocks.push(block(!SUPPRESSES.test(text)));
        break;
      case 'if':
        this.#blocks.push(block(MAIN.test(text)));
        break;
      default:
        this.#blocks.push(block(false));
    }
  }

  /** Ends the blocks that a line with this indentation is not part of. */
  #close(indent: number, word = ''): void {
    for (let last = this.#blocks.at(-1); last !== undefined; last = this.#blocks.at(-1)) {
      if (last.indent < indent) return;
      const goesOn = word === 'except' || word === 'finally' || word === 'else';
      if (last.indent === indent && last.tried !== undefined && goesOn) return;
      this.#blocks.pop();
      this.#keep(last.tried);
    }
  }

  /** What was tried and not caught happens, if what is around it does. */
  #keep(tried: readonly ImportedModule[] | undefined): void {
    for (const one of tried ?? []) this.#note(one);
  }

  #note(imported: ImportedModule): void {
    if (!this.#blocks.every(({ isCertain }) => isCertain))
      return void this.#possible.push(imported);
    const trying = this.#blocks.findLast(({ tried }) => tried !== undefined);
    (trying?.tried ?? this.#found).push(imported);
  }

  #import(word: string): void {
    const line = this.#line();
    if (word === 'from') {
      const module = this.#take(FROM).trim();
      if (module !== '') this.#note({ module, line });
      return;
    }
    const begun = this.#at;
    const { text } = this.#skip(';\n');
    this.#at = begun;
    for (const part of text.replaceAll(/\\\r?\n/g, ' ').split(',')) {
      const module = /^\s*([\p{ID_Start}_][\p{ID_Continue}]*)/u.exec(part)?.[1];
      if (module !== undefined) this.#note({ module, line });
    }
  }

  /** Moves behind the first of some characters that is in no string, comment or bracket. */
  #skip(ends: ':\n' | ';\n'): { readonly text: string; readonly end: string } {
    const begun = this.#at;
    for (let depth = 0; this.#at < this.#text.length;) {
      this.#pass(PLAIN);
      const char = this.#text[this.#at] ?? '';
      const isWalrus = char === ':' && this.#text[this.#at + 1] === '=';
      if (depth === 0 && char !== '' && !isWalrus && ends.includes(char)) {
        const text = this.#text.slice(begun, this.#at);
        this.#at += 1;
        return { text, end: char };
      }
      if (char === "'" || char === '"') this.#string(char);
      else if (char === '#') this.#pass(COMMENT);
      else if (char === '\\') this.#at += this.#text.startsWith('\r\n', this.#at + 1) ? 3 : 2;
      else {
        if ('([{'.includes(char)) depth += 1;
        else if (')]}'.includes(char)) depth = Math.max(0, depth - 1);
        this.#at += 1;
      }
    }
    return { text: this.#text.slice(begun), end: '' };
  }

  #string(quote: string): void {
    const triple = quote.repeat(3);
    const opened = this.#text.startsWith(triple, this.#at) ? triple : quote;
    this.#at += opened.length;
    const rest = STRINGS[opened];
    // A string of three quotes that nothing ends takes all the rest.
    if (rest !== undefined && this.#take(rest) === '' && opened === triple)
      this.#at = this.#text.length;
  }

  #restOfLine(): string {
    const end = this.#text.indexOf('\n', this.#at);
    return this.#text.slice(this.#at, end === -1 ? undefined : end);
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end + 1;
  }

  #take(form: RegExp): string {
    const begun = this.#at;
    this.#pass(form);
    return this.#text.slice(begun, this.#at);
  }

  #pass(form: RegExp): void {
    form.lastIndex = this.#at;
    if (form.test(this.#text)) this.#at = form.lastIndex;
  }

  #line(): number {
    let { upTo, line } = this.#lines;
    for (; upTo < this.#at; upTo += 1) if (this.#text[upTo] === '\n') line += 1;
    this.#lines = { upTo, line };
    return line;
  }
}

function firstOf(found: readonly ImportedModule[]): readonly ImportedModule[] {
  const first = new Map<string, ImportedModule>();
  for (const one of found) if (!first.has(one.module)) first.set(one.module, one);
  return [...first.values()].toSorted((a, b) => a.line - b.line);
}
