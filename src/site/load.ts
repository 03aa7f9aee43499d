import { readFile } from 'node:fs/promises';
import { CannotStart } from '../words/cannot-start.ts';
import type { RuleSource } from '../vortex/index.ts';
import type { Problem } from '../yaml/index.ts';
import { readSite } from './read.ts';
import type { Site } from './site.ts';

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

/** @throws ConfigurationError with everything that is wrong with the site file. */
export const loadSite = async (file: string): Promise<Site> => {
  const reading = readSite(file, await readText(file));
  if (!reading.ok) throw new ConfigurationError(reading.problems);
  return reading.site;
};

/** The texts of the site's rule files. @throws ConfigurationError naming every file that cannot be read */
export const readRuleFiles = async (site: Site): Promise<readonly RuleSource[]> => {
  const texts = await Promise.allSettled(site.rules.map(readText));
  const failures = texts.flatMap((text) => (text.status === 'rejected' && text.reason instanceof ConfigurationError ? text.reason.problems : []));
  if (failures.length > 0) throw new ConfigurationError(failures);
  return texts.flatMap((text, index) => (text.status === 'fulfilled' ? [{ name: site.rules[index] ?? '', text: text.value }] : []));
};
