import type { Clause, ShownTags, Tags } from '../decision.ts';

/** The four categories in the order in which TPV lists them. */
export const TAG_TYPES = ['require', 'prefer', 'accept', 'reject'] as const;
export type TagType = (typeof TAG_TYPES)[number];

/** Weights since TPV 3.2.0; before, they were 2, 1, 0 and -1. */
export const TAG_WEIGHTS: { readonly [type in TagType]: number } = {
  require: 3,
  prefer: 2,
  accept: 1,
  reject: -1,
};

/** Categories from weakest to strongest: a stronger claim wins over a weaker one. */
const WEAKEST_FIRST = ['accept', 'prefer', 'require', 'reject'] as const;

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Scheduling tags of an entity. A category that is null in the file counts as empty, but rules and
 * the trace tell the two apart. Rules may change the tags that they get; all other sets never
 * change, so entities share them and each result from them is computed once.
 */
export class TagSet {
  require: string[] | null;
  prefer: string[] | null;
  accept: string[] | null;
  reject: string[] | null;
  /** Whether a rule has it, and may change it at any time. */
  isOpen = false;
  /**
   * What a destination has besides: jobs may ask for it, and what nobody asks for counts neither for
   * nor against it. Not shown, since there may be hundreds.
   */
  readonly offered: ReadonlySet<string>;
  #json: Tags | undefined;
  #combined: WeakMap<TagSet, TagSet> | undefined;
  #inherited: WeakMap<TagSet, TagSet> | undefined;
  #scores: WeakMap<TagSet, number> | undefined;

  constructor(
    lists: { readonly [type in TagType]?: readonly string[] | null } = {},
    offered: ReadonlySet<string> = NOTHING,
  ) {
    this.offered = offered;
    this.require = copyList(lists.require);
    this.prefer = copyList(lists.prefer);
    this.accept = copyList(lists.accept);
    this.reject = copyList(lists.reject);
  }

  /** The tags of one category, empty when it is null. */
  list(type: TagType): readonly string[] {
    return this[type] ?? [];
  }

  has(tag: string): boolean {
    return this.offered.has(tag) || this.#lists(tag);
  }

  #lists(tag: string): boolean {
    return TAG_TYPES.some((type) => this.list(type).includes(tag));
  }

  /** The sum of the weights of a tag's categories; null when it has none. */
  weightOf(tag: string): number | null {
    let weight: number | null = null;
    for (const type of TAG_TYPES) {
      for (const own of this.list(type))
        if (own === tag) weight = (weight ?? 0) + TAG_WEIGHTS[type];
    }
    return weight;
  }

  get isEmpty(): boolean {
    return TAG_TYPES.every((type) => this.list(type).length === 0);
  }

  copy(): TagSet {
    return new TagSet(this, this.offered);
  }

  /** The same tags, with what a destination has besides. */
  offering(tags: ReadonlySet<string>): TagSet {
    return new TagSet(this, tags);
  }

  /**
   * Move a tag to a category, out of all others. Of a tag that a rule put there twice, one stays,
   * as in TPV.
   */
  override(type: TagType, tag: string): void {
    for (const other of TAG_TYPES) {
      const at = this[other]?.indexOf(tag) ?? -1;
      if (at >= 0) this[other] = this.list(other).toSpliced(at, 1);
    }
    this[type] = [...this.list(type), tag];
  }

  /** This set over a parent's: own claims replace the parent's, without a check for conflicts. */
  inherit(parent: TagSet): TagSet {
    if (this.isOpen || parent.isOpen) return this.#over(parent);
    const known = parent.#inherited?.get(this);
    if (known !== undefined) return known;
    const result = this.isEmpty ? parent : this.#over(parent);
    (parent.#inherited ??= new WeakMap()).set(this, result);
    return result;
  }

  #over(parent: TagSet): TagSet {
    const result = parent.copy();
    for (const type of WEAKEST_FIRST)
      for (const tag of strings(this.list(type))) result.override(type, tag);
    return result;
  }

  /**
   * This set with one of lower priority: the strongest claim wins. Throws IncompatibleTags when one
   * requires a tag that the other rejects; the text names the lower set first, as TPV's.
   */
  combine(lower: TagSet): TagSet {
    if (this.isOpen || lower.isOpen) return this.#with(lower);
    const known = lower.#combined?.get(this);
    if (known !== undefined) return known;
    const result = this.#with(lower);
    (lower.#combined ??= new WeakMap()).set(this, result);
    return result;
  }

  #with(lower: TagSet): TagSet {
    if (!this.canCombine(lower)) throw new IncompatibleTags(lower, this);
    const result = new TagSet({ require: [], prefer: [], accept: [], reject: [] });
    for (const type of WEAKEST_FIRST) {
      for (const tag of strings([...this.list(type), ...lower.list(type)]))
        result.override(type, tag);
    }
    return result;
  }

  canCombine(other: TagSet): boolean {
    return !clash(this, other) && !clash(other, this);
  }

  /**
   * How well these tags, a destination's, suit those of an entity: products of weights, less those
   * of unmatched tags.
   */
  score(entity: TagSet): number {
    if (this.isOpen || entity.isOpen) return this.#scoreOf(entity);
    const known = entity.#scores?.get(this);
    if (known !== undefined) return known;
    const score = this.#scoreOf(entity);
    (entity.#scores ??= new WeakMap()).set(this, score);
    return score;
  }

  #scoreOf(entity: TagSet): number {
    let score = 0;
    for (const type of TAG_TYPES) {
      for (const tag of this.list(type)) {
        const others = entity.weightOf(tag);
        score += others === null ? -TAG_WEIGHTS[type] : TAG_WEIGHTS[type] * others;
      }
    }
    return this.offered.size === 0 ? score : score + this.#scoreOfOffered(entity);
  }

  /** As of tags that the destination accepts, but only of those that the entity names. */
  #scoreOfOffered(entity: TagSet): number {
    const named = new Set(TAG_TYPES.flatMap((type) => entity.list(type)));
    return [...named]
      .filter((tag) => this.offered.has(tag) && !this.#lists(tag))
      .reduce((sum, tag) => sum + TAG_WEIGHTS.accept * (entity.weightOf(tag) ?? 0), 0);
  }

  /** The lists as they are, null categories included. */
  listed(): ShownTags {
    const { require, prefer, accept, reject } = this;
    return {
      require: shown(require),
      prefer: shown(prefer),
      accept: shown(accept),
      reject: shown(reject),
    };
  }

  toJSON(): Tags {
    return this.isOpen ? this.#toJson() : (this.#json ??= this.#toJson());
  }

  #toJson(): Tags {
    return {
      require: strings(this.list('require')),
      prefer: strings(this.list('prefer')),
      accept: strings(this.list('accept')),
      reject: strings(this.list('reject')),
    };
  }
}

/** Two sets of tags, one of which requires a tag that the other rejects. The message is TPV's. */
export class IncompatibleTags extends Error {
  constructor(first: TagSet, second: TagSet) {
    super(
      'Cannot combine tag sets because require and reject tags mismatch. ' +
        `First tag set requires: ${pythonList(first.require)} and rejects: ${pythonList(first.reject)}. ` +
        `Second tag set requires: ${pythonList(second.require)} and rejects: ${pythonList(second.reject)}.`,
    );
    this.name = 'IncompatibleTagsException';
  }
}

/** Every reason why tags keep a job and a destination apart; empty when they match. */
export function tagClauses(job: TagSet, destination: TagSet): Clause[] {
  return [
    ...missing(job, destination, 'job'),
    ...missing(destination, job, 'destination'),
    ...rejected(job, destination, 'job'),
    ...rejected(destination, job, 'destination'),
  ];
}

/** Whether `tagClauses` finds nothing. */
export function tagsMatch(job: TagSet, destination: TagSet): boolean {
  return (
    job.list('require').every((tag) => destination.has(tag)) &&
    destination.list('require').every((tag) => job.has(tag)) &&
    !job.list('reject').some((tag) => destination.has(tag)) &&
    !destination.list('reject').some((tag) => job.has(tag))
  );
}

/** `['a', 'b']` as Python's repr prints it, `None` for null. */
export function pythonList(list: readonly string[] | null): string {
  if (list === null) return 'None';
  return `[${list.map((tag) => pythonString(String(tag))).join(', ')}]`;
}

function missing(from: TagSet, other: TagSet, by: 'job' | 'destination'): Clause[] {
  // A tag that the other side rejects counts as present here; the rejection is a reason of its own.
  return from
    .list('require')
    .filter((tag) => !other.has(tag))
    .map((tag) => ({ code: 'required-tag-missing', tag, by }));
}

function rejected(from: TagSet, other: TagSet, by: 'job' | 'destination'): Clause[] {
  return from
    .list('reject')
    .filter((tag) => other.has(tag))
    .map((tag) => ({ code: 'tag-rejected', tag, by }));
}

function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r');
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

function clash(a: TagSet, b: TagSet): boolean {
  return a.list('require').some((tag) => b.list('reject').includes(tag));
}

function shown(list: readonly string[] | null): string[] | null {
  return list === null ? null : strings(list);
}

/** A rule may put anything into the lists of `entity.tpv_tags`; only text is a tag. */
function strings(list: readonly unknown[]): string[] {
  return list.filter((tag) => typeof tag === 'string');
}

function copyList(list: readonly string[] | null | undefined): string[] | null {
  return list === undefined ? [] : list === null ? null : strings(list);
}
