/**
 * One output of a snippet: a text it printed, or a record it logged; without a line break of ours
 * at the end.
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

/** The name of a level. */
export function levelName(level: number): string {
  return NAMES.get(level) ?? `Level ${level}`;
}

/** The output of the snippets of one decision, in order. */
export class Transcript {
  readonly said: TranscriptLine[] = [];
  readonly #level: number;
  /** Levels that snippets set on loggers, by name; the root is ''. */
  readonly #levels = new Map<string, number>();

  /** @param level the lowest level to log, in Python's numbers: 10 is DEBUG, 40 ERROR */
  constructor(level: number) {
    this.#level = level;
  }

  /** The level in force for a logger: its own, or that of the nearest ancestor that has one. */
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

  /** The level set on a logger itself; 0 for none. */
  ownLevelOf(logger: string): number {
    return logger === 'root' ? this.levelOf(logger) : (this.#levels.get(logger) ?? 0);
  }

  /** Sets the level of a logger; 0 removes it. */
  setLevel(logger: string, level: number): void {
    this.#levels.set(logger === 'root' ? '' : logger, level);
  }

  /** Records a log message when the logger's level allows it. */
  log(logger: string, level: number, text: () => string): void {
    if (level >= this.levelOf(logger))
      this.said.push({ kind: 'logged', level: levelName(level), logger, text: text() });
  }

  print(to: 'out' | 'err', text: string): void {
    this.said.push({ kind: 'printed', to, text });
  }
}
