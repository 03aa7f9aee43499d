import { isRecord } from '../../../src/words/record.ts';
import { KINDS } from './judge.ts';
import { TYPES_V1 } from './judge.ts';

type Document = Readonly<Record<string, unknown>>;

/** What is asked for, in no particular words. */
export type Wish = {
  readonly executable: 'docker-container' | 'jupyter-notebook' | { readonly own: string };
  readonly spec: object;
  readonly cores?: number;
};

/** How the clients of a generation of the broker's vocabulary ask, accept and read. */
export type Generation = {
  readonly name: string;
  readonly ask: (wish: Wish) => Document;
  readonly update: (value: string) => Document;
  readonly idOf: (part: Document) => string;
  readonly optionsOf: (session: Document) => readonly unknown[];
  /** cores that are offered, at least */
  readonly coresOf: (session: Document) => unknown;
};

/** Where the drafts of 2024 and 2025 have their types. */
const TYPES = 'https://www.purl.org/ivoa.net/EB/schema/types/';
/** Where this service has its own. */
const OWN = 'https://www.purl.org/ivoa-net/execution-planner/kinds/';

const kinds = withKind('the schema of 2026', (family, name) => `${KINDS}${family}/${name}.yaml`);
const typesV1 = withKind(
  'the broker of 2025',
  (family, name) => `${TYPES_V1}${family}/${name}-1.0`,
);

const types: Generation = {
  name: 'the drafts of 2024',
  ask: ({ executable, spec, cores = 1 }) => ({
    name: 'an ask',
    executable: {
      type:
        typeof executable === 'string' ? `${TYPES}executables/${executable}-1.0` : executable.own,
      name: 'a program',
      ...spec,
    },
    resources: {
      compute: [
        {
          type: `${TYPES}resources/compute/simple-compute-resource-1.0`,
          name: 'a machine',
          cores: { requested: { min: cores, max: cores + 1 } },
          memory: { requested: { min: 1 } },
        },
      ],
    },
    schedule: { requested: { duration: 'PT5M' } },
  }),
  update: (value) => ({ update: { type: 'uri:enum-value-update', path: 'state', value } }),
  idOf: ({ uuid }) => String(uuid),
  optionsOf: ({ options }) => valuesOf(options),
  coresOf: ({ resources }) => Object(resources).compute[0].cores.offered.min,
};

/** The generations, the newest first. */
export const GENERATIONS = { kinds, 'types-v1': typesV1, types } as const;

/** The URI of an executable that only this service has. */
export function ownExecutable(name: string): { readonly own: string } {
  return { own: `${OWN}executable/${name}-1.0` };
}

function withKind(name: string, uri: (family: string, name: string) => string): Generation {
  return {
    name,
    ask: ({ executable, spec, cores = 1 }) => ({
      executable: {
        kind: typeof executable === 'string' ? uri('executable', executable) : executable.own,
        meta: { name: 'a program' },
        ...spec,
      },
      compute: {
        kind: uri('compute', 'simple-compute-resource'),
        meta: { name: 'a machine' },
        cores: { min: cores, max: cores + 1 },
        memory: { min: 1 },
      },
      schedule: { requested: { duration: 'PT5M' } },
    }),
    update: (value) => ({ kind: 'uri:enum-value-update', path: 'phase', value }),
    idOf: ({ meta }) => String(Object(meta).uuid),
    optionsOf: ({ meta }) => valuesOf(Object(meta).options),
    coresOf: ({ compute }) => Object(compute).cores.min,
  };
}

function valuesOf(options: unknown): readonly unknown[] {
  return Array.isArray(options) ? options.filter(isRecord).flatMap(({ values }) => values) : [];
}
