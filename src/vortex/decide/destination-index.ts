import { asNumber } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import type { Clause } from '../decision.ts';
import type { Entity } from '../entity/entity.ts';
import { ABSTRACT, limitClauses } from './match.ts';
import type { Asked } from './match.ts';
import { tagClauses, tagsMatch } from '../entity/tags.ts';
import type { TagSet } from '../entity/tags.ts';

const NO_CLAUSES: readonly Clause[] = [];

/** Most clauses to remember, at about 100 bytes each. */
const MOST_CLAUSES = 50_000;

/** The limits of destinations as numbers; those with the same limits share them. */
type Limits = {
  readonly most: { readonly cores: number; readonly mem: number; readonly gpus: number };
  readonly least: { readonly cores: number; readonly mem: number; readonly gpus: number };
};

/** A destination that takes jobs. */
type Slot = {
  readonly destination: Entity;
  readonly tags: TagSet;
  readonly position: number;
  readonly limits: Limits;
};

/** A destination whose tags suit a job, and how well they do. */
type Suited = { readonly destination: Entity; readonly score: number; readonly limits: Limits };

/**
 * The destinations whose tags suit a job: in the order of the files, and best first; and their
 * different limits.
 */
type Choice = {
  readonly inOrder: readonly Suited[];
  readonly byScore: readonly Suited[];
  readonly limits: readonly Limits[];
};

/**
 * Finds destinations by the tags of a job, so that those that cannot take it cost next to nothing.
 * A destination that requires a tag is filed under that tag: a job without it never meets the
 * destination. The match of tags is computed once for every unchanging set of tags.
 */
export class DestinationIndex {
  readonly #undemanding: Slot[] = [];
  readonly #byRequired = new Map<string, Slot[]>();
  readonly #byTag = new Map<string, Slot[]>();
  readonly #byOffered = new Map<ReadonlySet<string>, Slot[]>();
  readonly #choices = new WeakMap<TagSet, Choice>();
  readonly #all: readonly { readonly destination: Entity; readonly slot: Slot | undefined }[];
  readonly #tagClauses = new Map<TagSet, readonly (readonly Clause[])[]>();
  /** Whether every destination is abstract. */
  readonly isEmpty: boolean;

  constructor(destinations: readonly Entity[]) {
    const shared = new Map<string, Limits>();
    this.#all = destinations.map((destination, position) => ({
      destination,
      slot: slotOf(destination, position, shared),
    }));
    for (const { slot } of this.#all) if (slot !== undefined) this.#file(slot);
    this.isEmpty = this.#undemanding.length === 0 && this.#byRequired.size === 0;
  }

  /** The destinations that match, in the order of the files. */
  inOrder(tags: TagSet, asked: Asked): readonly Entity[] {
    const { inOrder, limits } = this.#choice(tags);
    return accepting(inOrder, limits, asked).map(({ destination }) => destination);
  }

  /**
   * The destinations that match, with their scores, best first. Equal scores keep the order of the
   * files.
   */
  byScore(
    tags: TagSet,
    asked: Asked,
  ): readonly { readonly destination: Entity; readonly score: number }[] {
    const { byScore, limits } = this.#choice(tags);
    return accepting(byScore, limits, asked);
  }

  /**
   * Every reason against every destination, in the order of the files. The result is that of
   * `clausesAgainst`, but reasons that depend on tags alone are computed once. Throws Python's
   * exceptions for amounts that are no numbers.
   */
  *reasons(tags: TagSet, asked: Asked): Generator<readonly [Entity, readonly Clause[]]> {
    const byTags = this.#clausesOf(tags);
    for (const [position, { destination, slot }] of this.#all.entries()) {
      if (slot === undefined || destination.destination === null) {
        yield [destination, ABSTRACT];
        continue;
      }
      const clauses = byTags[position] ?? NO_CLAUSES;
      const isPlain = asked.unfit === null && accepts(slot.limits, asked);
      const limits = isPlain ? NO_CLAUSES : limitClauses(destination.destination, asked);
      yield [destination, limits.length === 0 ? clauses : [...limits, ...clauses]];
    }
  }

  #clausesOf(tags: TagSet): readonly (readonly Clause[])[] {
    const known = this.#tagClauses.get(tags);
    if (known !== undefined) return known;
    const clauses = this.#all.map(({ slot }) => {
      const found = slot === undefined ? NO_CLAUSES : tagClauses(tags, slot.tags);
      return found.length === 0 ? NO_CLAUSES : found;
    });
    if (this.#tagClauses.size * this.#all.length >= MOST_CLAUSES) this.#tagClauses.clear();
    if (!tags.isOpen) this.#tagClauses.set(tags, clauses);
    return clauses;
  }

  #file(slot: Slot): void {
    const { tags } = slot;
    const [required] = tags.list('require');
    if (required === undefined) this.#undemanding.push(slot);
    else fileUnder(this.#byRequired, required, slot);
    for (const tag of allOf(tags)) fileUnder(this.#byTag, tag, slot);
    if (tags.offered.size > 0) fileUnder(this.#byOffered, tags.offered, slot);
  }

  #choice(tags: TagSet): Choice {
    const known = this.#choices.get(tags);
    if (known !== undefined) return known;
    const choice = this.#choose(tags);
    if (!tags.isOpen) this.#choices.set(tags, choice);
    return choice;
  }

  #choose(tags: TagSet): Choice {
    const inOrder = this.#candidates(tags)
      .filter((slot) => tagsMatch(tags, slot.tags))
      .toSorted((a, b) => a.position - b.position)
      .map(({ destination, limits, tags: own }): Suited => ({
        destination,
        limits,
        score: own.score(tags),
      }));
    return {
      inOrder,
      byScore: inOrder.toSorted((a, b) => b.score - a.score),
      limits: [...new Set(inOrder.map(({ limits }) => limits))],
    };
  }

  #having(tag: string): readonly Slot[] {
    const own = this.#byTag.get(tag) ?? [];
    const offering = [...this.#byOffered].filter(([offered]) => offered.has(tag));
    return offering.length === 0
      ? own
      : [...new Set([...own, ...offering.flatMap(([, slots]) => slots)])];
  }

  /**
   * Of the lists that a tag of the job leads to, the shortest that holds all suitable destinations.
   */
  #candidates(tags: TagSet): readonly Slot[] {
    const lists = tags.list('require').map((tag) => this.#having(tag));
    const demanding = [...allOf(tags)].flatMap((tag) => this.#byRequired.get(tag) ?? []);
    return lists.reduce<readonly Slot[]>(
      (shortest, list) => (list.length < shortest.length ? list : shortest),
      [...this.#undemanding, ...demanding],
    );
  }
}

/** Those whose limits accept a job; often that is all or none, which takes no look at each of them. */
function accepting(
  suited: readonly Suited[],
  limits: readonly Limits[],
  asked: Asked,
): readonly Suited[] {
  const accepted = limits.filter((one) => accepts(one, asked));
  if (accepted.length === 0) return [];
  if (accepted.length === limits.length) return suited;
  const all = new Set(accepted);
  return suited.filter((one) => all.has(one.limits));
}

/** @param shared the limits of destinations before */
function slotOf(
  destination: Entity,
  position: number,
  shared: Map<string, Limits>,
): Slot | undefined {
  const part = destination.destination;
  if (destination.abstract || part === null) return undefined;
  const { accepted, tags } = part;
  const most = (limit: Value): number => asNumber(limit) ?? Infinity;
  const least = (limit: Value): number => asNumber(limit) ?? -Infinity;
  const own: Limits = {
    most: {
      cores: most(accepted.max_accepted_cores),
      mem: most(accepted.max_accepted_mem),
      gpus: most(accepted.max_accepted_gpus),
    },
    least: {
      cores: least(accepted.min_accepted_cores),
      mem: least(accepted.min_accepted_mem),
      gpus: least(accepted.min_accepted_gpus),
    },
  };
  const key = [own.most, own.least].map(({ cores, mem, gpus }) => `${cores} ${mem} ${gpus}`).join();
  const limits = shared.get(key) ?? own;
  shared.set(key, limits);
  return { destination, tags, position, limits };
}

function accepts({ most, least }: Limits, { cores, mem, gpus }: Asked): boolean {
  if (cores !== null && (most.cores < cores || least.cores > cores)) return false;
  if (mem !== null && (most.mem < mem || least.mem > mem)) return false;
  return gpus === null || !(most.gpus < gpus || least.gpus > gpus);
}

function allOf(tags: TagSet): ReadonlySet<string> {
  return new Set([
    ...tags.list('require'),
    ...tags.list('prefer'),
    ...tags.list('accept'),
    ...tags.list('reject'),
  ]);
}

function fileUnder<Key>(table: Map<Key, Slot[]>, tag: Key, slot: Slot): void {
  const list = table.get(tag);
  if (list === undefined) table.set(tag, [slot]);
  else list.push(slot);
}
