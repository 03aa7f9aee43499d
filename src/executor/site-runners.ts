import type { Engine } from '../runners/engine.ts';
import { buildRunners, type Runners } from '../runners/registry.ts';
import type { Stager } from '../storage/stager.ts';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import { CannotStart } from '../words/cannot-start.ts';

/** The part of a site that decides which runners there are. */
type RunnerSite = {
  readonly destinations: ReadonlyMap<string, { readonly engine: Engine }>;
  readonly fetch: UrlPolicy;
};

/**
 * The runners that a site's destinations use.
 *
 * @param stager moves the contents of volumes
 * @param host name of this machine, the same after every restart
 * @throws CannotStart that says what to change when one of them cannot work on this machine.
 */
export async function siteRunners(
  { destinations, fetch }: RunnerSite,
  jobsRoot: string,
  stager?: Stager,
  host?: string,
): Promise<Runners> {
  try {
    return await buildRunners(new Map([...destinations].map(([id, { engine }]) => [id, engine])), {
      jobsRoot,
      host,
      urls: fetch,
      stager,
    });
  } catch (error) {
    throw new CannotStart(messages(error), { cause: error });
  }
}

function messages(error: unknown): string {
  return error instanceof Error
    ? [error.message, ...(error.cause === undefined ? [] : [messages(error.cause)])].join(': ')
    : String(error);
}
