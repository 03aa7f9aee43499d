import type { Ask, AskWindow } from '../../src/planner/ask.ts';
import type { Wording } from '../../src/planner/reasons.ts';
import { readSite } from '../../src/site/read.ts';
import type { Site } from '../../src/site/site.ts';
import { fromCores, fromGibibytes, seconds } from '../../src/words/units.ts';
import type { NonEmpty } from '../../src/words/ids.ts';

/** Names a place in plain words, without a dialect. */
export const PLAINLY: Wording = {
  pathOf: (place) => ('path' in place ? place.path : place.what),
  amountOf: ({ value }) => `${value}`,
};

/** A window between two instants; the site's duration is the default. */
export function between(earliest: number, latest: number, durationS?: number): AskWindow {
  return {
    start: { earliest, latest },
    duration:
      durationS === undefined
        ? { min: undefined, max: undefined }
        : { min: seconds(durationS), max: seconds(durationS) },
  };
}
export const NOW: AskWindow = { start: 'now', duration: { min: undefined, max: undefined } };

type Wanted = {
  readonly cores?: number;
  readonly maxCores?: number;
  readonly memoryGib?: number;
  readonly gpus?: number;
  readonly windows?: NonEmpty<AskWindow>;
  readonly costs?: Ask['costs'];
};

/** An ask for an executable with these cores and GiB, on one machine. */
export function askFor({
  cores = 1,
  maxCores,
  memoryGib = 1,
  gpus: count,
  windows = [NOW],
  costs = [],
}: Wanted): Ask {
  const wanted = {
    cores: { min: fromCores(cores), max: maxCores === undefined ? undefined : fromCores(maxCores) },
    memory: { min: fromGibibytes(memoryGib), max: undefined },
    gpus: count === undefined ? undefined : { type: 'urn:gpu', count },
  };
  return {
    taskType: 'https://www.purl.org/ivoa-net/task-type/executable',
    task: { type: 'executable', command: ['true'], environment: {} },
    plugin: undefined,
    parts: [
      {
        name: undefined,
        replicas: 1,
        platform: undefined,
        arch: undefined,
        ...wanted,
        volumes: [],
      },
    ],
    ...wanted,
    storage: [],
    windows,
    costs,
    namesScratch: false,
  };
}

/**
 * A site for tests: destinations take executables with the process runner and have plenty of
 * scratch space; there are no quotas.
 */
export function siteOf(destinations: Readonly<Record<string, object>>, offers: object = {}): Site {
  const full = Object.fromEntries(
    Object.entries(destinations).map(([id, more]) => [
      id,
      {
        runner: 'process',
        'task-types': ['executable'],
        cores: 8,
        memory: '64GiB',
        scratch: '10TiB',
        ...more,
      },
    ]),
  );
  const reading = readSite(
    '/site.yml',
    JSON.stringify({ rules: ['rules.yml'], offers, quotas: [], destinations: full }),
  );
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.site;
}
