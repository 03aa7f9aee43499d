/** The text is not YAML as we read it. `line` and `column` count from 1. */
export class YamlError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.name = 'YamlError';
    this.line = line;
    this.column = column;
  }
}

/** A mapping has a key twice. */
export class DuplicateKey extends YamlError {
  constructor(message: string, line: number, column: number) {
    super(message, line, column);
    this.name = 'DuplicateKeyError';
  }
}

/** Something wrong with a file, at a place, and what would be right where that is known. */
export type FileProblem = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
  /** What kind of problem it is, where a reader tells kinds apart. */
  readonly code?: string;
  /**
   * Whose problem it is, and in which of its keys, where the message does not say so:
   * `rule 'r' in 'rules' of tool 'x'`, `if`.
   */
  readonly entity?: string;
  readonly property?: string;
  /** The line that is meant and, below it, a caret under the character. */
  readonly excerpt?: string;
};
