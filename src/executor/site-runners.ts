import type { RunnerName } from '../runners/port.ts';
import { buildRunners, type LocalRunner } from '../runners/registry.ts';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import { CannotStart } from '../words/cannot-start.ts';

/** What of a site decides which runners there are. */
export type RunnerSite = {
  readonly destinations: ReadonlyMap<string, { readonly runner: RunnerName }>;
  readonly fetch: UrlPolicy;
  readonly python: string | undefined;
};

const messages = (error: unknown): string =>
  error instanceof Error ? [error.message, ...(error.cause === undefined ? [] : [messages(error.cause)])].join(': ') : String(error);

/**
 * The runners that a site's destinations use.
 *
 * @throws CannotStart that says what to change when one of them cannot work on this machine.
 */
export const siteRunners = ({ destinations, fetch, python }: RunnerSite, jobsRoot: string): ReadonlyMap<RunnerName, LocalRunner> => {
  const names = [...destinations.values()].map(({ runner }) => runner);
  try {
    return buildRunners(names, { jobsRoot, urls: fetch, ...(python === undefined ? {} : { python }) });
  } catch (error) {
    throw new CannotStart(messages(error), { cause: error });
  }
};
