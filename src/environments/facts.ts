import { isRecord } from '../words/record.ts';
import { normalisedName } from './normalised-name.ts';
import { MARKER_VARIABLES, type MarkerValues } from './marker.ts';

/** A distribution that is installed. */
export type InstalledPackage = {
  readonly name: string;
  readonly version: string;
  /** what it needs for its extras, as it says (PEP 508) */
  readonly extras: readonly string[];
};

/** What an interpreter has, as it says itself. */
export type EnvironmentFacts = {
  /** such as `3.12.4` */
  readonly python: string;
  readonly markers: MarkerValues;
  /** by normalised name */
  readonly packages: ReadonlyMap<string, InstalledPackage>;
  /** what can be imported, at the top level: of packages, of the language, and plain files */
  readonly modules: ReadonlySet<string>;
  /** where it looks for modules; a change there may be a change of these facts */
  readonly folders: readonly string[];
};

/** What an interpreter said of itself, or why that is no answer. */
type ReadFacts =
  | { readonly ok: true; readonly facts: EnvironmentFacts }
  | { readonly ok: false; readonly problem: string };

/** Reads the answer of `facts.py`. Whoever installed something there may have had a part in it. */
export function readFacts(answer: unknown): ReadFacts {
  if (!isRecord(answer)) return failed('is no object');
  const { python, markers, packages, modules, folders } = answer;
  if (!isVersion(python)) return failed('has no version of Python');
  if (!isRecord(markers)) return failed('has no values for markers');
  if (!isTexts(modules, MOST_MODULES)) return failed('has no list of modules');
  if (!isTexts(folders, MOST_FOLDERS)) return failed('has no list of folders');
  if (!Array.isArray(packages) || packages.length > MOST_PACKAGES)
    return failed('has no list of packages');
  const found = packages.map(readPackage);
  if (!found.every((one) => one !== undefined)) return failed('has a package without a name');
  return {
    ok: true,
    facts: {
      python,
      markers: Object.fromEntries(
        MARKER_VARIABLES.flatMap((name) => {
          const value = markers[name];
          return isText(value) ? [[name, value]] : [];
        }),
      ),
      // The first is the one that is imported.
      packages: new Map(found.toReversed().map((one) => [normalisedName(one.name), one])),
      modules: new Set(modules),
      folders,
    },
  };
}

const [MOST_PACKAGES, MOST_MODULES, MOST_FOLDERS] = [20_000, 200_000, 1000];
const MOST_EXTRAS = 2000;
const LONGEST = 1000;

function readPackage(value: unknown): InstalledPackage | undefined {
  if (!isRecord(value)) return undefined;
  const { name, version, extras } = value;
  return isText(name) && isText(version) && Array.isArray(extras)
    ? { name, version, extras: extras.filter(isText).slice(0, MOST_EXTRAS) }
    : undefined;
}

function isVersion(value: unknown): value is string {
  return isText(value) && /^\d{1,4}\.\d{1,4}[\w.+-]{0,50}$/.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST;
}

function isTexts(value: unknown, most: number): value is readonly string[] {
  return Array.isArray(value) && value.length <= most && value.every(isText);
}

function failed(problem: string): ReadFacts {
  return { ok: false, problem: `its answer ${problem}` };
}
