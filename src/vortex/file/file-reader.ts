import { PySyntaxError } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { MOST_PROBLEMS, Reader } from '../../yaml/index.ts';
import type { Node, Position, FileProblem, StringNode } from '../../yaml/index.ts';
import { compilePattern, PatternError } from './pattern.ts';
import type { SnippetKind, Snippets } from './snippets.ts';
import { spelledValue } from './spelled.ts';
import { fromNode } from '../values.ts';

/** The name of a rule file, and its text. */
type Source = { readonly name: string; readonly text: string };

/** The owner of a Python text: `what` in the words of messages, and its key. */
type Owner = { readonly what: string; readonly key: string };

/** A text of a rule that is not Python. */
export type Broken = {
  readonly kind: SnippetKind;
  readonly text: string;
  readonly problem: FileProblem;
};

/** Reads one rule file: collects problems and warnings, and hands Python to the compiler. */
export class FileReader extends Reader {
  readonly #snippets: Snippets;
  readonly #warnings: FileProblem[] = [];
  readonly #counter: { rules: number };
  readonly #compiling = new Set<FileProblem>();
  /** Texts of rules that are not Python: a problem only when the rule runs. */
  readonly broken: Broken[] = [];
  /** Whether values keep their spelling, for a file that is to be written again. */
  readonly keepsSpelling: boolean;

  readonly #text: string;

  /** `counter` numbers the rules without id, over all files of a configuration. */
  constructor(
    { name, text }: Source,
    snippets: Snippets,
    counter: { rules: number },
    keepsSpelling = false,
  ) {
    super(name);
    this.#text = text;
    this.keepsSpelling = keepsSpelling;
    this.#snippets = snippets;
    this.#counter = counter;
  }

  get warnings(): readonly FileProblem[] {
    return this.#warnings;
  }

  /** Whether a problem is about Python, which TPV compiles after it accepts all else in a file. */
  isCompiling(problem: FileProblem): boolean {
    return this.#compiling.has(problem);
  }

  /**
   * `code` is the Python exception with which TPV refuses the file: pydantic's ValidationError for
   * most problems.
   */
  override problem(
    where: Node | Position,
    message: string,
    hint?: string,
    code = 'ValidationError',
  ): undefined {
    return super.problem(where, message, hint, code);
  }

  /** Something that TPV accepts and that is probably a mistake. */
  warning(where: Node | Position, message: string, hint?: string): void {
    if (this.#warnings.length < MOST_PROBLEMS) this.#warnings.push(this.at(where, message, hint));
  }

  nextRuleId(): string {
    this.#counter.rules += 1;
    return `tpv_rule_${this.#counter.rules}`;
  }

  /**
   * Compile the Python of a node now. With `lazily`, as in rules, text that is not Python is a
   * warning at load, and an error only when the rule runs.
   */
  snippet(node: Node | undefined, kind: SnippetKind, lazily: boolean, of: Owner): void {
    if (node?.kind !== 'string') return;
    try {
      this.#snippets.add(kind, node.value, { file: this.file, ...node.text });
    } catch (error) {
      if (!(error instanceof PySyntaxError)) throw error;
      // TPV's assertion fails inside of the validation.
      const code =
        !lazily && error.className === 'AssertionError' ? 'ValidationError' : error.className;
      const told = this.at(
        placeIn(this.#text, node, error),
        `not Python: ${error.message}`,
        undefined,
        code,
      );
      const problem: FileProblem = {
        ...told,
        entity: of.what,
        property: of.key,
        excerpt: excerptOf(node.value, error),
      };
      if (lazily) this.#broken({ kind, text: node.value, problem });
      else {
        this.#compiling.add(problem);
        this.put(problem);
      }
    }
  }

  #broken(snippet: Broken): void {
    if (this.#warnings.length >= MOST_PROBLEMS) return;
    this.#warnings.push(snippet.problem);
    this.broken.push(snippet);
  }

  /** A value that the schema leaves open; `isInList` when a list contains it. */
  value(node: Node, isInList: boolean): Value {
    return this.keepsSpelling ? spelledValue(node, isInList) : fromNode(node);
  }

  /** Check that a key is a usable regular expression; ids are matched from their start. */
  pattern(key: Node, text: string): void {
    try {
      compilePattern(text);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      this.problem(
        key,
        `the key '${text}' is not a regular expression: ${error.message}`,
        'escape special characters with a backslash',
        UNUSABLE_PATTERN,
      );
    }
  }

  /** Compile every string inside a value as an f-string; keys are not evaluated. */
  strings(node: Node | undefined, lazily: boolean, of: Owner): void {
    if (node?.kind === 'string') this.snippet(node, 'fstring', lazily, of);
    else if (node?.kind === 'seq') for (const item of node.items) this.strings(item, lazily, of);
    else if (node?.kind === 'map')
      for (const { value } of node.entries) this.strings(value, lazily, of);
  }
}

/**
 * The code of a key that is no regular expression. TPV loads such a file, then fails in every
 * decision.
 */
export const UNUSABLE_PATTERN = 're.error';

/** The lint code of names and modules that do not exist and that Python of a rule uses. */
export const NOT_PYTHON = 'T103';

/** Most characters of a line that fit beside a place. */
const LONGEST_EXCERPT = 100;

/** The line of Python with an error, and a caret below its column. */
function excerptOf(
  text: string,
  error: { readonly line: number; readonly column: number },
): string {
  const line = (text.split('\n')[error.line - 1] ?? '').replaceAll('\t', ' ');
  const begin = Math.max(line.length - line.trimStart().length, error.column - LONGEST_EXCERPT);
  const caret = ' '.repeat(Math.max(error.column - 1 - begin, 0));
  return `${line.slice(begin, begin + LONGEST_EXCERPT)}\n${caret}^`;
}

/**
 * The place in the file of an error inside a snippet; for a line with folds or escapes, that of the
 * snippet.
 */
function placeIn(
  text: string,
  { text: start, value }: StringNode,
  { line, column }: Position,
): Position {
  const at = { line: start.line + line - 1, column: start.column + column - 1 };
  const python = (value.split('\n')[line - 1] ?? '').trim();
  return (text.split('\n')[at.line - 1] ?? '').includes(python) ? at : start;
}
