import { readFile } from 'node:fs/promises';
import { builtInComputeTypes, type ComputeTypes } from '../compute/registry.ts';
import { builtInTypes, type TaskTypes } from '../tasks/registry.ts';
import { CannotStart } from '../words/cannot-start.ts';
import type { Problem } from '../yaml/index.ts';
import { readCalendar } from './calendar.ts';
import { readSite } from './read.ts';
import type { Site, SiteDestination } from './site.ts';

/** A configuration that cannot be used; every problem has file, line and column. */
export class ConfigurationError extends CannotStart {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(printProblem).join('\n'));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** `site.yml:3:9: offers.lifetime cannot be '5 min' (an ISO 8601 duration …)`: the form that editors jump to. */
export const printProblem = ({ file, line, column, message, hint }: Problem): string =>
  `${file}:${line}:${column}: ${message}${hint === undefined ? '' : ` (${hint})`}`;

const unreadable = (file: string, error: unknown): Problem => ({
  file, line: 1, column: 1, message: `the file cannot be read: ${error instanceof Error ? error.message : String(error)}`,
});

const readText = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError([unreadable(file, error)]);
  }
};

const withCalendar = async (destination: SiteDestination): Promise<SiteDestination> => {
  const { calendar: file, maintenance } = destination;
  if (file === undefined) return destination;
  const reading = readCalendar(await readText(file));
  if (!reading.ok) throw new ConfigurationError(reading.problems.map(({ line, message }) => ({ file, line, column: 1, message })));
  return { ...destination, maintenance: [...maintenance, ...reading.maintenance] };
};

/**
 * Reads a site file and the calendars that it names.
 *
 * @param types the task types that destinations can take
 * @param computeTypes the types of compute resource that they can be
 * @throws ConfigurationError with everything that is wrong with the site file, or with the calendars.
 */
export const loadSite = async (file: string, types: TaskTypes = builtInTypes, computeTypes: ComputeTypes = builtInComputeTypes): Promise<Site> => {
  const reading = readSite(file, await readText(file), types, computeTypes);
  if (!reading.ok) throw new ConfigurationError(reading.problems);
  const { site } = reading;
  const outcomes = await Promise.allSettled([...site.destinations.values()].map(withCalendar));
  const problems = outcomes.flatMap((one) => {
    if (one.status === 'fulfilled') return [];
    if (one.reason instanceof ConfigurationError) return one.reason.problems;
    throw one.reason;
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  const destinations = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return { ...site, destinations: new Map(destinations.map((destination) => [destination.id, destination])) };
};
