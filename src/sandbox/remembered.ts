/** What the isolate writes before an answer that the job and the rules alone decide. */
export const STEADY = 's';

/** Most characters of questions and answers to remember; as objects they take some five times that. */
const MOST_CHARACTERS = 4_000_000;

type Kept<T> = { readonly answer: T; readonly size: number };

/**
 * Answers of one set of rules that another seed or another time would not change, by their whole
 * question: what was asked, and the job with its user. Those that were not asked for the longest
 * time go first.
 */
export class KnownAnswers<T> {
  readonly #kept = new Map<string, Kept<T>>();
  readonly #most: number;
  #size = 0;
  #given = 0;

  constructor(most = MOST_CHARACTERS) {
    this.#most = most;
  }

  /** The number of answers given again. */
  get given(): number {
    return this.#given;
  }

  get(question: string): T | undefined {
    const found = this.#kept.get(question);
    if (found === undefined) return undefined;
    this.#kept.delete(question);
    this.#kept.set(question, found);
    this.#given += 1;
    return found.answer;
  }

  /** @param characters of the answer */
  keep(question: string, answer: T, characters: number): void {
    const size = question.length + characters;
    if (size > this.#most || this.#kept.has(question)) return;
    this.#kept.set(question, { answer, size });
    this.#size += size;
    for (const [oldest, one] of this.#kept) {
      if (this.#size <= this.#most) return;
      this.#kept.delete(oldest);
      this.#size -= one.size;
    }
  }
}
