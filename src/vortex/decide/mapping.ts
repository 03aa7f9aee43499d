import { FuelExhausted } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { Context } from './context.ts';
import type { KeptStep, Sought, TraceStep, Verdict } from '../decision.ts';
import { Trace } from '../explain/trace.ts';
import type { Rules } from '../file/rules.ts';
import type { JobDescription } from '../job.ts';
import { MappingLog } from './mapping-log.ts';
import { endingOf } from '../python-view/exceptions.ts';
import type { EvaluationEnding } from '../python-view/exceptions.ts';
import { firstScope, sessionOf } from './session.ts';
import type { Session } from './session.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Visible } from './visible.ts';

/** One mapping under way: what its five steps share. */
export class Mapping {
  readonly rules: Rules;
  readonly job: JobDescription;
  /** Null when the caller asks for no explanation. */
  readonly trace: Trace | null;
  readonly log: MappingLog;
  readonly #session: Session;
  readonly #scope: Map<string, Value>;
  /** What the job seeks, and the number of steps before that was known. */
  #matching: { readonly at: number; readonly sought: Sought } | null = null;

  constructor(rules: Rules, job: JobDescription, surroundings: Surroundings) {
    this.rules = rules;
    this.job = job;
    this.trace = surroundings.explain === false ? null : new Trace();
    this.log = new MappingLog(surroundings.transcript);
    this.#scope = firstScope(rules, job, surroundings);
    this.#session = sessionOf(rules, job, surroundings, this.#scope);
  }

  /** The names of all snippets, with the entity as it is before its rules. */
  contextOf(entity: Visible): Context {
    return new Context(this.#session, this.#scope, entity);
  }

  /**
   * Run `body`; `stopped` gets what ends it as a whole. Exhausted fuel ends everything: none is
   * left for another destination.
   */
  run<T>(body: () => T, stopped: (verdict: Verdict) => T): T {
    try {
      return body();
    } catch (error) {
      if (!(error instanceof FuelExhausted)) return stopped(this.ending(error).elsewhere);
      return stopped({
        kind: 'error',
        className: error.name,
        message: error.message,
        place: this.#takePlace(),
      });
    }
  }

  /** How an error ends the mapping. Throws errors that no rule can cause. */
  ending(error: unknown): EvaluationEnding {
    return endingOf(error, this.#takePlace());
  }

  /** Pools bound users: a job without a user is in none. */
  get hasPools(): boolean {
    return this.rules.pools.length > 0 && this.job.user !== null;
  }

  /** The steps so far; none without an explanation. */
  get steps(): readonly TraceStep[] {
    return this.trace?.steps ?? [];
  }

  /** Keep what the job seeks instead of the reasons, which follow from it. */
  seek(sought: Sought): void {
    this.#matching = { at: this.steps.length, sought };
  }

  /** What the job seeks; null before it is known, and in mappings that tell all reasons. */
  get sought(): Sought | null {
    return this.#matching?.sought ?? null;
  }

  /** The steps so far, with what the job seeks among them. */
  get keptSteps(): readonly KeptStep[] {
    if (this.#matching === null) return this.steps;
    const { at, sought } = this.#matching;
    return [...this.steps.slice(0, at), { step: 'matching', ...sought }, ...this.steps.slice(at)];
  }

  #takePlace(): string | null {
    const { place } = this.#session;
    this.#session.place = null;
    return place;
  }
}
