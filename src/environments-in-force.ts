import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { PythonEnvironment, EnvironmentTerms } from './environments/environment.ts';
import { askEnvironment } from './runners/asking/ask.ts';
import { engineKindOf } from './runners/engine.ts';
import type { Site } from './site/site.ts';
import { limitConcurrency } from './words/concurrency.ts';

/** What the environments of the site have, asked of themselves. */
export type EnvironmentsInForce = {
  /** a site with what its environments have, as far as they were asked */
  readonly complete: (site: Site) => Site;
  /** Asks the environments of a site that nobody has asked yet. */
  readonly learn: (site: Site) => Promise<void>;
  /** The broken environments of a site, in words that everybody may read. */
  readonly problems: (site: Site) => readonly string[];
  /** Asks again those of a site that have changed, or were broken. */
  readonly refresh: (site: Site) => Promise<void>;
  /** Has somebody told when a look has found another state; the last one who asks for it. */
  readonly onChange: (tell: () => void) => void;
  readonly close: () => void;
};

/** How often the folders of environments are looked at; a broken one is asked again as often. */
const LOOK_MS = 60_000;
/** An interpreter with many packages takes a processor for half a second. */
const AT_ONCE = 2;

/** How coarse the times of file systems may be. */
const COARSE_MS = 2000;

type Known = { readonly environment: PythonEnvironment; readonly print: string };

/**
 * Follows the environments of the site in force, so that an ask does not have to ask them.
 *
 * @param site the site in force; undefined before there is one
 * @param ask asks an environment, until `stop`
 */
export function followEnvironments(
  site: () => Site | undefined,
  log: Pick<Logger, 'info' | 'warn'>,
  ask: (terms: EnvironmentTerms, stop: AbortSignal) => Promise<PythonEnvironment> = (terms, stop) =>
    askEnvironment(terms, undefined, stop),
): EnvironmentsInForce {
  const known = new Map<string, Known>();
  const turns = limitConcurrency(AT_ONCE);
  const stopping = new AbortController();
  const { signal: stop } = stopping;
  let version = 0;
  let seen: { readonly site: Site; readonly version: number; readonly whole: Site } | undefined;

  const askOne = async (terms: EnvironmentTerms): Promise<void> => {
    const before = known.get(keyOf(terms))?.environment;
    const begun = Date.now();
    const environment = await ask(terms, stop);
    if (stop.aborted) return;
    const folders = environment.state === 'ready' ? environment.facts.folders : [];
    known.set(keyOf(terms), { environment, print: await printOf(terms, folders, begun) });
    if (before !== undefined && isDeepStrictEqual(before, environment)) return;
    version += 1;
    const { name } = terms;
    if (environment.state === 'broken')
      log.warn({ environment: name, why: environment.why }, 'an environment is broken');
    else
      log.info(
        {
          environment: name,
          python: environment.facts.python,
          packages: environment.facts.packages.size,
        },
        'an environment was asked what it has',
      );
  };

  const askAll = async (
    next: Site,
    isDue: (terms: EnvironmentTerms, before: Known | undefined) => Promise<boolean>,
  ): Promise<void> => {
    await Promise.all(
      environmentsIn(next).map((terms) =>
        turns(async () => {
          if (await isDue(terms, known.get(keyOf(terms)))) await askOne(terms);
        }),
      ),
    );
  };

  let tell = (): void => undefined;
  const refresh = async (next: Site): Promise<void> => {
    const before = version;
    await look(next);
    if (version !== before) tell();
  };
  const look = (next: Site): Promise<void> =>
    askAll(next, async (terms, before) => {
      if (before?.environment.state !== 'ready') return true;
      // What could not be made may be possible after a while.
      if ((before.environment.unmet?.size ?? 0) > 0) return true;
      return before.print !== (await printOf(terms, before.environment.facts.folders));
    });

  let isLooking = false;
  const timer = setInterval(() => {
    const now = site();
    // Interpreters that hang take half a minute each, so that a round may last longer than a minute.
    if (now === undefined || isLooking) return;
    isLooking = true;
    void refresh(now)
      .catch((err: unknown) => log.warn({ err }, 'the environments could not be looked at'))
      .finally(() => (isLooking = false));
  }, LOOK_MS).unref();

  return {
    complete: (next) => {
      if (seen?.site !== next || seen.version !== version)
        seen = { site: next, version, whole: withKnown(next, known) };
      return seen.whole;
    },
    learn: (next) => askAll(next, async (_terms, before) => before === undefined),
    problems: (next) => {
      const broken = new Set(
        namedByFile(next).flatMap((terms) => {
          const environment = known.get(keyOf(terms))?.environment;
          return environment?.state === 'broken' ? [`${terms.name} is broken`] : [];
        }),
      );
      return [...broken];
    },
    refresh,
    onChange: (next) => (tell = next),
    close: () => {
      clearInterval(timer);
      stopping.abort();
    },
  };
}

/** The interpreters of all destinations of a site, each once. */
export function environmentsIn(site: Site): readonly EnvironmentTerms[] {
  return [...new Map(namedIn(site).map((one) => [keyOf(one), one])).values()];
}

/** A site whose destinations have what is known; those with the same environments share a list. */
function withKnown(site: Site, known: ReadonlyMap<string, Known>): Site {
  const lists = new Map<string, readonly PythonEnvironment[]>();
  // The executor finds an environment by the name of the site file, so that one is never counted.
  const names = uniqueNames(namedByFile(site), namedIn(site));
  const listOf = (
    all: readonly EnvironmentTerms[],
    isNamed: boolean,
  ): readonly PythonEnvironment[] | undefined => {
    const found = all.flatMap((terms): readonly PythonEnvironment[] => {
      const environment = known.get(keyOf(terms))?.environment;
      return environment ? [{ ...environment, name: names.get(keyOf(terms)) ?? terms.name }] : [];
    });
    if (found.length < all.length) return undefined;
    // Where the site file names none, an interpreter that says nothing may still run programs.
    if (!isNamed && found.some(({ state }) => state === 'broken')) return undefined;
    const key = JSON.stringify(all);
    const list = lists.get(key) ?? found;
    lists.set(key, list);
    return list;
  };
  return {
    ...site,
    destinations: new Map(
      [...site.destinations].map(([id, destination]) => {
        const all = environmentsOf(site, id);
        const isNamed = destination.engine.environments !== undefined;
        return [
          id,
          all === undefined ? destination : { ...destination, environments: listOf(all, isNamed) },
        ];
      }),
    ),
  };
}

/** Interpreters that the site file gives no name may have the same: the next ones are counted. */
function uniqueNames(
  named: readonly EnvironmentTerms[],
  all: readonly EnvironmentTerms[],
): ReadonlyMap<string, string> {
  const names = new Map(named.map((terms) => [keyOf(terms), terms.name]));
  for (const terms of all) {
    if (names.has(keyOf(terms))) continue;
    const taken = new Set(names.values());
    let name = terms.name;
    for (let count = 2; taken.has(name); count += 1) name = `${terms.name}-${count}`;
    names.set(keyOf(terms), name);
  }
  return names;
}

function namedIn(site: Site): readonly EnvironmentTerms[] {
  return [...site.destinations.keys()].flatMap((id) => environmentsOf(site, id) ?? []);
}

function namedByFile({ destinations }: Site): readonly EnvironmentTerms[] {
  return [...destinations.values()].flatMap(({ engine }) =>
    engine.environments === undefined ? [] : (engineKindOf(engine).environmentsOf?.(engine) ?? []),
  );
}

/** The interpreters of a destination; undefined: nobody can ask them. */
function environmentsOf(
  { destinations }: Site,
  id: string,
): readonly EnvironmentTerms[] | undefined {
  const engine = destinations.get(id)?.engine;
  return engine && engineKindOf(engine).environmentsOf?.(engine);
}

function keyOf(terms: EnvironmentTerms): string {
  return JSON.stringify(terms);
}

/**
 * What changes when something is installed: the times of the interpreter and its folders.
 *
 * @param asked when it was asked: what is installed since may be in the answer or not
 */
async function printOf(
  terms: EnvironmentTerms,
  folders: readonly string[],
  asked = Infinity,
): Promise<string> {
  if (terms.kind === 'pyodide' || terms.kind === 'image') return '';
  const times = await Promise.all(
    [terms.python, ...folders].map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return times.some((time) => time >= asked - COARSE_MS) ? 'it changes' : times.join(' ');
}
