/** The text is not YAML. `line` and `column` count from 1. */
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

/** A problem of a file: its place, and a remedy where one is known. */
export type FileProblem = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
  /** The kind of problem, for readers that tell kinds apart. */
  readonly code?: string;
  /**
   * The owner of the problem and the key, where the message does not name them: `rule 'r' in
   * 'rules' of tool 'x'`, `if`.
   */
  readonly entity?: string;
  readonly property?: string;
  /** The line of the problem and, below it, a caret under the character. */
  readonly excerpt?: string;
};
