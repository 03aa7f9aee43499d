import { mebibytes, type Mebibytes } from '../words/units.ts';
import type { Node, Reader } from '../yaml/index.ts';
import { readSize } from '../yaml/fields.ts';
import type { SiteDestination } from './destination.ts';
import type { Site } from './site.ts';

/** Limits of the results of jobs; undefined: derived from the free disc space. */
export type ResultTerms = {
  /** all results together, until they are removed */
  readonly size: Mebibytes | undefined;
  /** the results of one job */
  readonly perJob: Mebibytes | undefined;
};

/** `results` of the site file. */
export type SiteResults = ResultTerms & {
  /** with less free disc space than this, nothing is offered and no job begins */
  readonly keepFree: Mebibytes;
};

/** A limit for the results of some destinations together. */
export type ResultPool = {
  readonly name: string;
  readonly size: Mebibytes;
  readonly perJob: Mebibytes;
};

/** The pool of all destinations without their own; no destination can have this name. */
const SITE_POOL = '*';
const KEEP_FREE = mebibytes(1024);
/** The default for one job is the pool divided by this, but at most MOST_PER_JOB. */
const JOBS = 1000;
const MOST_PER_JOB = mebibytes(1024);

/** Reads the section `results` of the site file. */
export function readResults(reader: Reader, node: Node | undefined): SiteResults {
  const found = reader.section(node, 'results', ['size', 'per-job', 'keep-free']);
  return {
    ...readTerms(reader, found, 'results'),
    keepFree: readSize(reader, found['keep-free'], 'results.keep-free', KEEP_FREE),
  };
}

/** Reads `results` of a destination; undefined: it uses the site's pool. */
export function readOwnResults(
  reader: Reader,
  node: Node | undefined,
  what: string,
): ResultTerms | undefined {
  const found = reader.fields(node, what, ['size', 'per-job']);
  return found && readTerms(reader, found, what);
}

/**
 * Adds the pool of results to each destination of a site.
 *
 * @param size of the site's pool if the site file does not say; undefined: no pool
 */
export function withResultPools(site: Site, size: Mebibytes | undefined): Site {
  const terms = { ...site.results, size: site.results.size ?? size };
  return {
    ...site,
    destinations: new Map(
      [...site.destinations].map(([id, destination]) => [
        id,
        { ...destination, results: poolOf(destination, terms) },
      ]),
    ),
  };
}

/** Half of the space that is free or used by results, except what must stay free; MiB. */
export function sizeOfPool(free: number, kept: number, keepFree: Mebibytes): Mebibytes {
  return mebibytes(Math.max(0, Math.floor((free + kept - keepFree) / 2)));
}

/** The pool of each destination that has one. */
export function resultPoolsOf({
  destinations,
}: Pick<Site, 'destinations'>): ReadonlyMap<string, ResultPool> {
  return new Map(
    [...destinations].flatMap(([id, { results }]) =>
      results === undefined ? [] : [[id, results] as const],
    ),
  );
}

function readTerms(
  reader: Reader,
  found: { readonly size?: Node; readonly 'per-job'?: Node },
  what: string,
): ResultTerms {
  const sizeOf = (node: Node | undefined, key: string): Mebibytes | undefined =>
    node && readSize(reader, node, `${what}.${key}`, mebibytes(0));
  const terms = { size: sizeOf(found.size, 'size'), perJob: sizeOf(found['per-job'], 'per-job') };
  if (found['per-job'] !== undefined && terms.perJob === 0)
    reader.problem(
      found['per-job'],
      `${what}.per-job must be at least 1MiB`,
      'the output of a job is a result, too',
    );
  if (
    found['per-job'] !== undefined &&
    terms.size !== undefined &&
    (terms.perJob ?? 0) > terms.size
  ) {
    reader.problem(
      found['per-job'],
      `${what}.per-job is more than ${what}.size`,
      'nothing could be offered',
    );
  }
  return terms;
}

function poolOf(
  { id, ownResults: own }: Pick<SiteDestination, 'id' | 'ownResults'>,
  { size, perJob }: ResultTerms,
): ResultPool | undefined {
  if (own?.size !== undefined)
    return { name: id, size: own.size, perJob: own.perJob ?? perJob ?? perJobOf(own.size) };
  return size === undefined
    ? undefined
    : { name: SITE_POOL, size, perJob: own?.perJob ?? perJob ?? perJobOf(size) };
}

function perJobOf(size: Mebibytes): Mebibytes {
  return mebibytes(Math.min(MOST_PER_JOB, Math.max(1, Math.floor(size / JOBS))));
}
