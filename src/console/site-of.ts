import { signal } from '@preact/signals';
import { api, outcomeOf } from './api.ts';
import type { Documents } from './contract.ts';
import type { Trouble } from './client.ts';

/** A task type that the site runs. */
export type TaskKind = {
  readonly type: string;
  readonly title: string;
  /** JSON Schema of its `spec` */
  readonly schema: Readonly<Record<string, unknown>>;
  /** an example of its `spec`; undefined: the site knows none */
  readonly example: Readonly<Record<string, unknown>> | undefined;
  /** GiB of scratch space of the largest destination that runs it */
  readonly scratch: number;
  /** where its volumes can stay, the largest first */
  readonly places: readonly Place[];
};

type Place = {
  /** GiB of all volumes there */
  readonly size: number;
  /** seconds for which a volume may stay */
  readonly 'max-lifetime': number;
};

/** What the page knows of the site. */
export type SiteView = {
  readonly name: string;
  readonly message: string | undefined;
  readonly timeZone: string | undefined;
  readonly kinds: readonly TaskKind[];
  /** GiB of scratch space of an ask that names none */
  readonly scratch: number;
  readonly gpuTypes: readonly string[];
  readonly architectures: readonly string[];
  readonly destinations: readonly string[];
  readonly signIn: Documents['Site']['sign-in'];
  readonly isAnonymousAllowed: boolean;
  /** seconds for which offers are held */
  readonly lifetime: number;
  /** seconds ahead for which there are offers */
  readonly horizon: number;
};

const UNKNOWN: SiteView = {
  name: 'ExecutionPlanner',
  message: undefined,
  timeZone: undefined,
  kinds: [],
  scratch: 0,
  gpuTypes: [],
  architectures: [],
  destinations: [],
  signIn: [],
  isAnonymousAllowed: true,
  lifetime: 300,
  horizon: 2_592_000,
};

/** The site. */
export const site = signal<SiteView>(UNKNOWN);

/** Reads what everybody may know of the site. @returns why that did not work */
export async function readSite(): Promise<Trouble | undefined> {
  const outcome = await outcomeOf(api.GET('/site'));
  if (!outcome.ok) return outcome.trouble;
  site.value = viewOf(outcome.data.site);
  return undefined;
}

function viewOf(read: Documents['Site']): SiteView {
  return {
    name: read.name,
    message: read.message,
    timeZone: read['time-zone'],
    kinds: read['task-types'].map(({ type, title, schema, example }) => {
      const takers = read.destinations.filter((one) => one['task-types'].includes(type));
      return {
        type,
        title,
        schema,
        example,
        scratch: Math.max(0, ...takers.map(({ capacity }) => capacity.scratch)),
        places: (read.storage ?? [])
          .filter(
            ({ destinations }) =>
              destinations === undefined ||
              takers.some(({ destination }) => destinations.includes(destination)),
          )
          .toSorted((a, b) => b.size - a.size),
      };
    }),
    scratch: read.defaults.scratch,
    gpuTypes: read['gpu-types'],
    architectures: read.architectures,
    destinations: read.destinations.map(({ destination }) => destination),
    signIn: read['sign-in'],
    isAnonymousAllowed: read.anonymous,
    lifetime: read.offers.lifetime,
    horizon: read.offers.horizon,
  };
}
