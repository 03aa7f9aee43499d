import type { PyDict } from '../../python/index.ts';
import type { DestinationIndex } from '../decide/destination-index.ts';
import type { Pool } from '../decide/pool.ts';
import type { Roots } from '../entity/derived.ts';
import type { Entity } from '../entity/entity.ts';
import type { Entities } from './merge.ts';
import type { StoreConfig } from './schema/pools.ts';
import type { Section } from './section.ts';
import type { Snippets } from './snippets.ts';

/** One rule file; `name` is its path or URL, for messages. */
export type RuleSource = {
  readonly name: string;
  readonly text: string;
  /** it is no rule file: it has tags that destinations have besides (offered-tags.ts) */
  readonly kind?: 'tags';
};

/** A compiled configuration. Decisions read it and never change it. */
export type Rules = {
  /** SHA-256 of the sources, computed by the caller. */
  readonly digest: string;
  readonly context: PyDict;
  readonly defaultInherits: string | null;
  readonly tools: Section;
  readonly roles: Section;
  readonly users: Section;
  /** In the order of the files, each over the default destination. */
  readonly destinations: readonly Entity[];
  /** The destinations by the tags that a job asks for. */
  readonly index: DestinationIndex;
  /** Results of earlier look-ups. */
  readonly found: Roots;
  /** As in the merged files, for rules that read `mapper.destinations`. */
  readonly plainDestinations: Entities;
  /** As in the merged files, for rules that read `mapper.pools`. */
  readonly plainPools: Entities;
  /** Pools that jobs can be in, by name. */
  readonly pools: readonly Pool[];
  /** Where the pools keep what they hold, if a file says so. */
  readonly store: StoreConfig | null;
  readonly snippets: Snippets;
};
