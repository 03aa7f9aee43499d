import { readPlainFile } from '../places/plain-file.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { entryOf, parseYaml, valueOf, type FileProblem } from '../yaml/index.ts';
import { readCalendar } from './calendar.ts';
import { readSite } from './read.ts';
import { withResultPools } from './results.ts';
import type { SiteDestination } from './destination.ts';
import type { Site } from './site.ts';
import { builtInSiteTypes, type SiteTypes } from './types.ts';
import { errorText } from '../words/system-error.ts';

/** The configuration has errors; each has its file, line and column. */
export class ConfigurationError extends CannotStart {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(problems.map(printProblem).join('\n'));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/**
 * `site.yml:3:9: offers.lifetime cannot be '5 min' (an ISO 8601 duration …)`: editors can jump to
 * this form.
 */
export function printProblem({ file, line, column, message, hint }: FileProblem): string {
  return `${file}:${line}:${column}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}

/**
 * The texts of a site file and of the calendars that it names. They are enough to read the site on
 * another machine.
 */
export type SiteTexts = {
  readonly file: string;
  readonly content: string;
  readonly calendars: Readonly<Record<string, string>>;
};

/**
 * Reads a site file and the calendars that it names.
 *
 * @param types what it can name
 * @throws ConfigurationError with everything that is wrong with the site file or cannot be read
 * with the site file, or cannot be read.
 */
export async function readSiteTexts(
  file: string,
  types: SiteTypes = builtInSiteTypes,
): Promise<SiteTexts> {
  const content = await readText(file);
  const reading = readSite(file, content, types);
  if (!reading.ok) throw new ConfigurationError(reading.problems);
  const named = [
    ...new Set(
      [...reading.site.destinations.values()].flatMap(({ calendar }) =>
        calendar === undefined ? [] : [calendar],
      ),
    ),
  ];
  const outcomes = await Promise.allSettled(
    named.map(async (name) => [name, await readText(name)] as const),
  );
  const problems = outcomes.flatMap((one) => {
    if (one.status === 'fulfilled') return [];
    if (one.reason instanceof ConfigurationError) return one.reason.problems;
    throw one.reason;
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return {
    file,
    content,
    calendars: Object.fromEntries(
      outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    ),
  };
}

/**
 * The site that these texts describe.
 * @throws ConfigurationError with everything that is wrong with the site file or the calendars
 */
export function siteOfTexts(
  { file, content, calendars }: SiteTexts,
  types: SiteTypes = builtInSiteTypes,
): Site {
  const reading = readSite(file, content, types);
  if (!reading.ok) throw new ConfigurationError(reading.problems);
  const found = [...reading.site.destinations.values()].map((destination) =>
    withCalendar(destination, calendars),
  );
  const problems = found.flatMap((one) => one.problems);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return withResultPools(
    {
      ...reading.site,
      destinations: new Map(found.map(({ destination }) => [destination.id, destination])),
    },
    undefined,
  );
}

/** Reads the texts and the site. */
export async function loadSite(file: string, types: SiteTypes = builtInSiteTypes): Promise<Site> {
  return siteOfTexts(await readSiteTexts(file, types), types);
}

/** Where a site file has a destination, as `site.yml:3:9: `; '' if it is nowhere. */
export async function placeOfDestination(file: string, id: string): Promise<string> {
  const root = parseYaml(await readText(file));
  const list = root.kind === 'map' ? valueOf(root, 'destinations') : undefined;
  const at = list?.kind === 'map' ? entryOf(list, id)?.key.at : undefined;
  return at === undefined ? '' : `${file}:${at.line}:${at.column}: `;
}

async function readText(file: string): Promise<string> {
  try {
    return (await readPlainFile(file)).toString('utf8');
  } catch (error) {
    throw new ConfigurationError([unreadable(file, error)]);
  }
}

function unreadable(file: string, error: unknown): FileProblem {
  return { file, line: 1, column: 1, message: `the file cannot be read: ${errorText(error)}` };
}

function withCalendar(
  destination: SiteDestination,
  calendars: SiteTexts['calendars'],
): { readonly destination: SiteDestination; readonly problems: readonly FileProblem[] } {
  const { calendar: file, maintenance } = destination;
  if (file === undefined) return { destination, problems: [] };
  const reading = readCalendar(calendars[file] ?? '');
  if (!reading.ok)
    return {
      destination,
      problems: reading.problems.map(({ line, message }) => ({ file, line, column: 1, message })),
    };
  return {
    destination: { ...destination, maintenance: [...maintenance, ...reading.maintenance] },
    problems: [],
  };
}
