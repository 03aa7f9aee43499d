/**
 * A snippet that is not Python, or is Python this compiler does not
 * run. Line and column are 1-based.
 */
export class PySyntaxError extends Error {
  readonly line: number;
  readonly column: number;
  /**
   * The exception that TPV raises: IndexError when there is no last statement, AssertionError when
   * the last statement is no expression.
   */
  readonly className: 'SyntaxError' | 'IndexError' | 'AssertionError';

  constructor(
    message: string,
    line: number,
    column: number,
    className: PySyntaxError['className'] = 'SyntaxError',
  ) {
    super(message);
    this.name = 'PySyntaxError';
    this.line = line;
    this.column = column;
    this.className = className;
  }
}
