/**
 * One thing that a snippet said: a text it printed, or a record it logged;
 * neither ends in a line break of ours.
 */
export type TranscriptLine =
  | { readonly kind: 'printed'; readonly to: 'out' | 'err'; readonly text: string }
  | {
      readonly kind: 'logged';
      readonly level: string;
      readonly logger: string;
      readonly text: string;
    };

/** Python's names of levels. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0, 'NOTSET'],
  [10, 'DEBUG'],
  [20, 'INFO'],
  [30, 'WARNING'],
  [40, 'ERROR'],
  [50, 'CRITICAL'],
]);

/** A level as Python prints it. */
export function levelName(level: number): string {
  return NAMES.get(level) ?? `Level ${level}`;
}

/** What the snippets of one decision say, in order. */
export class Transcript {
  readonly said: TranscriptLine[] = [];
  readonly #level: number;
  /** Levels that snippets gave to loggers, by name; the root is ''. */
  readonly #levels = new Map<string, number>();

  /**
   * `level` is the lowest of what is logged that is wanted, as Python
   * counts: 10 is DEBUG, 40 ERROR.
   */
  constructor(level: number) {
    this.#level = level;
  }

  /** The level in force for a logger: its own, or that of the nearest above it that has one. */
  levelOf(logger: string): number {
    for (
      let name = logger === 'root' ? '' : logger;
      name !== '';
      name = name.slice(0, Math.max(name.lastIndexOf('.'), 0))
    ) {
      const own = this.#levels.get(name) ?? 0;
      if (own !== 0) return own;
    }
    return this.#levels.get('') ?? this.#level;
  }

  /** Gives a logger a level of its own; 0 takes it away. */
  setLevel(logger: string, level: number): void {
    this.#levels.set(logger === 'root' ? '' : logger, level);
  }

  /** Notes a record when its logger wants it. */
  log(logger: string, level: number, text: () => string): void {
    if (level >= this.levelOf(logger))
      this.said.push({ kind: 'logged', level: levelName(level), logger, text: text() });
  }

  print(to: 'out' | 'err', text: string): void {
    this.said.push({ kind: 'printed', to, text });
  }
}
