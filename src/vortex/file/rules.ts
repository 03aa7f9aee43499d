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
export type RuleSource = { readonly name: string; readonly text: string };

/** A configuration, compiled: what decisions are made from. Not changed by them. */
export type Rules = {
  /** SHA-256 of the sources, computed by the caller. */
  readonly digest: string;
  readonly context: PyDict;
  readonly defaultInherits: string | null;
  readonly tools: Section;
  readonly roles: Section;
  readonly users: Section;
  /** In the order of the files, each with the default destination laid under it. */
  readonly destinations: readonly Entity[];
  /** The same, found by what a job asks for. */
  readonly index: DestinationIndex;
  /** What jobs came to that were looked at before. */
  readonly found: Roots;
  /** As they stand in the merged files, for rules that look at `mapper.destinations`. */
  readonly plainDestinations: Entities;
  /** The same of pools. */
  readonly plainPools: Entities;
  /** Those that jobs can be in, by name. */
  readonly pools: readonly Pool[];
  /** Where a file says that what pools hold is kept. */
  readonly store: StoreConfig | null;
  readonly snippets: Snippets;
};
