import { PyDict } from '../../python/index.ts';
import type { FileProblem } from '../../yaml/index.ts';
import { DestinationIndex } from '../decide/destination-index.ts';
import { poolsOf } from '../decide/pool.ts';
import { Roots, settleEntity } from '../entity/derived.ts';
import { withDefaults } from '../entity/destination-defaults.ts';
import type { Entity } from '../entity/entity.ts';
import type { ConfigFile } from './config-file.ts';
import { mergeFiles, placeOf } from './merge-files.ts';
import { offeredTagsIn, type OfferedTags } from './offered-tags.ts';
import type { SectionName } from './merge.ts';
import type { Rules, RuleSource } from './rules.ts';
import { Section } from './section.ts';
import type { Snippets } from './snippets.ts';

export type LoadResult =
  | { readonly ok: true; readonly rules: Rules; readonly warnings: readonly FileProblem[] }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

/**
 * Load rule files and compile their Python. `digest` is the SHA-256 of the sources. A key that is
 * no regular expression is refused. `strict` loads it: then each decision that reaches it fails, as
 * in TPV.
 */
export function loadRules(
  sources: readonly RuleSource[],
  digest = '',
  { strict = false }: { readonly strict?: boolean } = {},
): LoadResult {
  const merged = mergeFiles(sources.filter(({ kind }) => kind === undefined));
  if (!merged.ok) return merged;
  if (merged.unusable.length > 0 && !strict) return { ok: false, problems: merged.unusable };
  const [pool] = merged.config.pools.values();
  if (pool !== undefined && merged.config.store === null)
    return { ok: false, problems: [withoutStore(pool)] };
  const rules = rulesOf(merged.config, merged.snippets, digest, offeredTagsIn(sources));
  return { ok: true, rules, warnings: [...merged.warnings, ...withoutRunner(rules.destinations)] };
}

/** A file with pools and no store is refused, as by TPV: nobody would count what jobs take. */
function withoutStore(pool: Entity): FileProblem {
  const message =
    "Resource pools are configured under 'pools:' but 'global.resource_pool_store' is not set. Add the store wiring " +
    '(e.g. a ValkeyAllocationStore) so enforcement is active, or remove the pools.';
  return { ...placeOf(pool), message, code: 'ValueError' };
}

function rulesOf(
  merged: ConfigFile,
  snippets: Snippets,
  digest: string,
  offered: OfferedTags,
): Rules {
  const fallback = (name: SectionName): Entity | null =>
    merged[name].get(merged.defaultInherits ?? '') ?? null;
  const section = (name: SectionName): Section => new Section(merged[name], fallback(name));
  const destinations = [...merged.destinations.values()].map((own) =>
    withDefaults(own, fallback('destinations')),
  );
  const everywhere = [
    merged.tools,
    merged.roles,
    merged.users,
    merged.destinations,
    merged.pools,
  ].flatMap((map) => [...map.values()]);
  for (const entity of destinations) offer(entity, offered.get(entity.id));
  for (const entity of [...everywhere, ...destinations]) settleEntity(entity);
  return {
    digest,
    context: merged.context ?? new PyDict(),
    defaultInherits: merged.defaultInherits,
    tools: section('tools'),
    roles: section('roles'),
    users: section('users'),
    destinations,
    index: new DestinationIndex(destinations),
    found: new Roots(),
    plainDestinations: merged.destinations,
    plainPools: merged.pools,
    pools: poolsOf(merged.pools.values()),
    store: merged.store,
    snippets,
  };
}

function offer(entity: Entity, tags: ReadonlySet<string> | undefined): void {
  if (tags !== undefined && entity.destination !== null)
    entity.destination = { ...entity.destination, tags: entity.destination.tags.offering(tags) };
}

/** A destination that takes jobs needs a runner, its own or a parent's. */
function withoutRunner(destinations: readonly Entity[]): readonly FileProblem[] {
  return destinations
    .filter(({ abstract, destination }) => !abstract && (destination?.runner ?? '') === '')
    .map((entity) => ({ ...placeOf(entity), message: `destination '${entity.id}' has no runner` }));
}
