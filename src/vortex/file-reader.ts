import { PySyntaxError } from '../python/index.ts';
import type { Value } from '../python/index.ts';
import { MOST_PROBLEMS, Reader } from '../yaml/index.ts';
import type { Node, Position, Problem, StringNode } from '../yaml/index.ts';
import { compilePattern, PatternError } from './pattern.ts';
import type { SnippetKind, Snippets } from './snippets.ts';
import { spelledValue } from './spelled.ts';
import { fromNode } from './values.ts';

/** Reads one rule file: collects its problems and warnings, and hands its Python to the compiler. */
export class FileReader extends Reader {
  readonly #snippets: Snippets;
  readonly #warnings: Problem[] = [];
  readonly #counter: { rules: number };
  readonly #compiling = new Set<Problem>();
  /** Whether the file is read to be written again. */
  readonly keepsSpelling: boolean;

  /** `counter` numbers the rules without id over all files of a configuration. */
  constructor(file: string, snippets: Snippets, counter: { rules: number }, keepsSpelling = false) {
    super(file);
    this.keepsSpelling = keepsSpelling;
    this.#snippets = snippets;
    this.#counter = counter;
  }

  get warnings(): readonly Problem[] {
    return this.#warnings;
  }

  /** Whether a problem is one of Python, which TPV compiles when all else of a file is sound. */
  isCompiling(problem: Problem): boolean {
    return this.#compiling.has(problem);
  }

  /** `code` is the Python exception with which TPV refuses the file; most are pydantic's ValidationError. */
  override problem(where: Node | Position, message: string, hint?: string, code = 'ValidationError'): undefined {
    return super.problem(where, message, hint, code);
  }

  /** Something that TPV accepts and that is most likely a mistake. */
  warning(where: Node | Position, message: string, hint?: string, code?: string): void {
    if (this.#warnings.length < MOST_PROBLEMS) this.#warnings.push(this.at(where, message, hint, code));
  }

  nextRuleId(): string {
    this.#counter.rules += 1;
    return `tpv_rule_${this.#counter.rules}`;
  }

  /**
   * Compile the Python of a node now. `lazily`, as in rules, what is not Python is a warning at load and an error only
   * when the rule runs (1.4).
   */
  snippet(node: Node | undefined, kind: SnippetKind, lazily: boolean): void {
    if (node?.kind !== 'string') return;
    try {
      this.#snippets.add(kind, node.value, { file: this.file, ...node.text });
    } catch (error) {
      if (!(error instanceof PySyntaxError)) throw error;
      const place = placeIn(node, error);
      // TPV's assertion fails inside of the validation (1.4).
      if (lazily) this.warning(place, `not Python: ${error.message}`, undefined, NOT_PYTHON);
      else this.#notPython(place, error.message, error.className === 'AssertionError' ? 'ValidationError' : error.className);
    }
  }

  #notPython(place: Position, message: string, code: string): void {
    const before = this.problems.length;
    this.problem(place, `not Python: ${message}`, undefined, code);
    for (const problem of this.problems.slice(before)) this.#compiling.add(problem);
  }

  /** A value that the schema says nothing of; `isInList` where a list is around it. */
  value(node: Node, isInList: boolean): Value {
    return this.keepsSpelling ? spelledValue(node, isInList) : fromNode(node);
  }

  /** Check that a key is a regular expression that can be used; it is matched at the start of ids (1.9). */
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
  strings(node: Node | undefined, lazily: boolean): void {
    if (node?.kind === 'string') this.snippet(node, 'fstring', lazily);
    else if (node?.kind === 'seq') for (const item of node.items) this.strings(item, lazily);
    else if (node?.kind === 'map') for (const { value } of node.entries) this.strings(value, lazily);
  }
}

/** The code of a key that is no regular expression: TPV loads such a file, and then fails in every decision. */
export const UNUSABLE_PATTERN = 're.error';

/** The lint code of what is no Python in a rule. */
export const NOT_PYTHON = 'T103';

/** Where in the file an error inside a snippet is: exact for block scalars and one-line values, else near. */
function placeIn(node: StringNode, error: { readonly line: number; readonly column: number }): Position {
  return { line: node.text.line + error.line - 1, column: node.text.column + error.column - 1 };
}
