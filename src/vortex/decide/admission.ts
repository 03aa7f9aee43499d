import type {
  AmountsText,
  Candidate,
  Clause,
  KeptStep,
  ShownTags,
  Sought,
  TraceStep,
} from '../decision.ts';
import { brokenLimits } from '../limits.ts';
import type { RuleLimits } from '../explain/summary.ts';
import { offeredTagsIn, type OfferedTags } from '../file/offered-tags.ts';
import type { RuleSource } from '../file/rules.ts';
import { TagSet, tagClauses } from '../entity/tags.ts';

/** What decides whether a destination matches a job, as plain data: its tags and its limits. */
export type Admission = {
  readonly id: string;
  readonly abstract: boolean;
  readonly max: RuleLimits;
  readonly min: RuleLimits;
  /** The upper limits as a trace shows them. */
  readonly capacity: AmountsText;
  readonly tags: ShownTags;
};

type Judged = { readonly admission: Admission; readonly clauses: readonly Clause[] };
type Refused = Extract<Candidate, { kind: 'refused' }>;

/**
 * What the destinations of loaded rules say to a job. The answer is the engine's, from plain data
 * that leaves the sandbox once, when the rules are loaded, and not with every decision.
 */
export class Admissions {
  readonly list: readonly Admission[];
  /** where each destination stands in the list */
  readonly places: ReadonlyMap<string, number>;
  readonly #offered: OfferedTags;
  readonly #tags: ReadonlyMap<Admission, TagSet>;

  /** @param sources those of the rules: they may have tags that destinations have besides */
  constructor(list: readonly Admission[], sources: readonly RuleSource[] = []) {
    this.list = list;
    this.places = new Map(list.map(({ id }, place) => [id, place]));
    this.#offered = offeredTagsIn(sources);
    this.#tags = new Map(list.map((one) => [one, new TagSet(one.tags, this.offeredBy(one.id))]));
  }

  /** The tags that a destination has besides those of the rule files. */
  offeredBy(destination: string): ReadonlySet<string> | undefined {
    return this.#offered.get(destination);
  }

  /**
   * Every destination that does not match, with all its reasons, in the order of the files.
   * @param some the destinations that are asked
   */
  refused(sought: Sought, some = this.list): readonly Refused[] {
    return this.#judge(sought, some).flatMap(
      ({ admission, clauses: [first, ...rest] }): readonly Refused[] =>
        first === undefined
          ? []
          : [{ kind: 'refused', destination: admission.id, clauses: [first, ...rest] }],
    );
  }

  /** The steps of a decision, completed with what each destination says. */
  told(steps: readonly KeptStep[]): readonly TraceStep[] {
    return steps.flatMap((step): readonly TraceStep[] =>
      step.step === 'matching' ? this.#steps(step) : [step],
    );
  }

  #steps(sought: Sought): readonly TraceStep[] {
    const { amounts, tags: job } = sought;
    return this.#judge(sought, this.list).map(
      ({ admission: { id, capacity, tags }, clauses }): TraceStep =>
        clauses.length === 0
          ? { step: 'destination-matched', destination: id, capacity }
          : {
              step: 'destination-refused',
              destination: id,
              clauses,
              amounts,
              job,
              scheduling: tags,
            },
    );
  }

  #judge({ asked, tags }: Sought, some: readonly Admission[]): readonly Judged[] {
    const job = new TagSet(tags);
    return some.map((admission): Judged => {
      if (admission.abstract) return { admission, clauses: [{ code: 'destination-abstract' }] };
      const limits = brokenLimits(asked, (bound, resource) => admission[bound][resource]);
      const own = this.#tags.get(admission);
      return {
        admission,
        clauses: own === undefined ? limits : [...limits, ...tagClauses(job, own)],
      };
    });
  }
}
