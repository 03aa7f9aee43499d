import type { PythonEnvironment } from './environments/environment.ts';
import type { Site } from './site/site.ts';
import { tagsSource } from './vortex/file/offered-tags.ts';
import type { RuleSource } from './vortex/index.ts';

/**
 * What environments have as scheduling tags of their destinations, so that rules may ask for it:
 * `env:astro`, `python:3.12`, `package:numpy`. Only where the site file names environments: the
 * tags of other sites are those of their rule files alone.
 *
 * @param site with what its environments have
 */
export function environmentTags({
  destinations,
}: Pick<Site, 'destinations'>): RuleSource | undefined {
  const lists = new Map<readonly PythonEnvironment[], readonly string[]>();
  const tags = new Map<string, readonly string[]>();
  for (const [id, { engine, environments }] of destinations) {
    if (engine.environments === undefined || environments === undefined) continue;
    const known = lists.get(environments) ?? tagsOf(environments);
    lists.set(environments, known);
    tags.set(id, known);
  }
  return tagsSource('environments', tags);
}

/** More packages of an environment are no tags. */
const MOST_PACKAGES = 2000;

function tagsOf(environments: readonly PythonEnvironment[]): readonly string[] {
  const tags = environments.flatMap((one) => {
    if (one.state === 'broken') return [];
    const { python, packages } = one.facts;
    const version = /^\d+\.\d+/.exec(python)?.[0] ?? python;
    return [
      `env:${one.name}`,
      `python:${version}`,
      ...[...packages.keys()].slice(0, MOST_PACKAGES).map((name) => `package:${name}`),
    ];
  });
  return [...new Set(tags)].toSorted();
}
