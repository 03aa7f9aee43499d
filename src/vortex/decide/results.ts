import { PyFloat, PyObject, tick } from '../../python/index.ts';
import type { Fuel, Value } from '../../python/index.ts';
import type { JobDescription } from '../job.ts';
import { CHANGEABLE, factsText, read } from '../python-view/facts.ts';

/** Most results to keep, and characters of one and of what it depends on: 4 MB at the most. */
const MOST_KEPT = 2_000;
const LONGEST_KEY = 500;
const LONGEST_RESULT = 500;

type Result<T> = { readonly value: T; readonly fuel: number };
type Names = Pick<ReadonlyMap<string, Value>, 'get'>;

/** What is run again and again: its text, and the names that it may read. */
export type SteadyTexts = { readonly text: string; readonly names: Iterable<string> };

/**
 * What a result depends on besides the names: sets of facts that runs have read; and how often
 * there was no result yet.
 */
type Known = { readonly number: number; readonly readings: number[]; runs: number; misses: number };

/** Runs after which a snippet is judged: one that misses every second time costs more than it saves. */
const TRIAL = 100;

/** Results of snippets that only look, for all jobs with one set of rules. */
export class Results<T> {
  #known = new Map<string, Known>();
  #kept = new Map<string, Result<T>>();
  #numbered = 0;

  find(key: string): Result<T> | undefined {
    return this.#kept.get(key);
  }

  keep(key: string, result: Result<T>): void {
    if (this.#kept.size >= MOST_KEPT) this.#kept = new Map();
    this.#kept.set(key, result);
  }

  knownOf(text: string): Known {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_KEPT) this.#known = new Map();
    this.#numbered += 1;
    const made = { number: this.#numbered, readings: [], runs: 0, misses: 0 };
    this.#known.set(text, made);
    return made;
  }
}

/**
 * Runs the repeatable snippets of one job, or takes the result of an equal run: one with the same
 * values of its names and of all that it read of the job. The rules of usegalaxy.eu go through all
 * destinations for every job, which took a quarter of the time of a decision.
 */
export class Repeater {
  readonly #job: JobDescription;
  readonly #fuel: Fuel;
  readonly #facts = new Map<number, string>();
  /** The objects that stand for the job and the rules: what is read of them is noted. */
  readonly #noted: ReadonlyMap<Value, string>;
  #isRunning = false;

  constructor(job: JobDescription, fuel: Fuel, scope: Names) {
    this.#job = job;
    this.#fuel = fuel;
    this.#noted = new Map(
      ['tool', 'user', 'mapper'].map((name) => [scope.get(name) ?? null, name]),
    );
    read.facts = 0;
  }

  run<T>(results: Results<T>, repeated: SteadyTexts, scope: Names, run: () => T): T {
    // What a text reads inside of others counts for their result too.
    if (this.#isRunning) return run();
    // What other snippets have got hold of, they may have changed.
    const changed = read.facts & CHANGEABLE;
    const known = results.knownOf(repeated.text);
    if (known.runs >= TRIAL && known.misses * 2 > known.runs) return run();
    known.runs += 1;
    const names = this.#namesText(repeated.names, scope);
    if (names === null) return run();
    for (const facts of known.readings) {
      if ((facts & changed) !== 0) continue;
      const found = results.find(this.#key(known, facts, names));
      if (found === undefined || found.fuel > this.#fuel.left) continue;
      this.#fuel.left -= found.fuel;
      tick(found.fuel);
      return found.value;
    }
    return this.#runAndKeep(results, known, names, changed, run);
  }

  #runAndKeep<T>(
    results: Results<T>,
    known: Known,
    names: string,
    changed: number,
    run: () => T,
  ): T {
    known.misses += 1;
    const before = read.facts;
    const { left } = this.#fuel;
    read.facts = 0;
    let value: T;
    let facts = 0;
    this.#isRunning = true;
    try {
      value = run();
    } finally {
      this.#isRunning = false;
      facts = read.facts;
      read.facts = before;
    }
    if ((facts & changed) !== 0 || (value instanceof PyObject && !(value instanceof PyFloat)))
      return value;
    const key = this.#key(known, facts, names);
    if (key.length > LONGEST_KEY || charactersOf(value) > LONGEST_RESULT) return value;
    if (!known.readings.includes(facts)) known.readings.push(facts);
    results.keep(key, { value, fuel: left - this.#fuel.left });
    return value;
  }

  #key({ number }: Known, facts: number, names: string): string {
    let text = this.#facts.get(facts);
    if (text === undefined) {
      text = factsText(this.#job, facts);
      this.#facts.set(facts, text);
    }
    return `${number} ${facts} ${text}${names}`;
  }

  /** The values of the names as text; null if one is an object that anybody may have changed. */
  #namesText(names: Iterable<string>, scope: Names): string | null {
    let text = '';
    for (const name of names) {
      const value = scope.get(name);
      if (value === undefined) continue;
      const shown = this.#valueText(value);
      if (shown === null) return null;
      text += `\n${name} ${shown}`;
    }
    return text;
  }

  #valueText(value: Value): string | null {
    if (typeof value === 'string') return JSON.stringify(value);
    if (value === null) return 'None';
    if (value instanceof PyFloat) return `float ${value.repr()}`;
    if (value instanceof PyObject) return this.#noted.get(value) ?? null;
    return `${typeof value} ${value}`;
  }
}

function charactersOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + charactersOf(one), 1);
  return typeof value === 'string' || typeof value === 'bigint' ? `${value}`.length : 1;
}
