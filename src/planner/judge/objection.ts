import type { SiteDestination } from '../../site/destination.ts';
import type { Site } from '../../site/site.ts';
import { engineKindOf, type Engine } from '../../runners/engine.ts';
import { MOST_MACHINES } from '../../runners/port.ts';
import type { Clause, Verdict } from '../../vortex/index.ts';
import type { Ask, ComputePart } from '../ask.ts';
import { chooseEnvironment } from './environments.ts';
import { engineObjections } from './engine-limits.ts';
import { lacksInterpreter, workflowObjections } from './workflows.ts';
import { parallelObjections } from './parallel.ts';
import { isOneMachine, saidOf } from './parts.ts';
import { placeOfAmount, type AskPlace } from '../place.ts';
import { compared, numberQuantity, textQuantity, type Refusal } from '../refusal.ts';

/** The task as a whole. */
const TASK: AskPlace = { what: 'task' };

/** A refusal without its destination. */
export type Objection = Omit<Refusal, 'destination'>;

/** A clause of the rule files as an objection. */
export function clauseObjection(clause: Clause, ask: Ask): Objection {
  switch (clause.code) {
    case 'destination-abstract':
      return { code: 'no-destination', place: TASK };
    case 'not-ranked':
      return { code: clause.code, place: TASK };
    case 'required-tag-missing':
      return {
        code: clause.code,
        place: TASK,
        asked: textQuantity(clause.tag),
        detail: `It is required by the ${clause.by === 'job' ? 'task' : 'destination'}.`,
      };
    case 'tag-rejected':
      return {
        code: clause.code,
        place: TASK,
        asked: textQuantity(clause.tag),
        detail: `It is rejected by the ${clause.by === 'job' ? 'task' : 'destination'}.`,
      };
    case 'above-max-accepted':
    case 'below-min-accepted':
      return amountObjection(clause, ask);
    default:
      return clause satisfies never;
  }
}

/** A rule that said no or not yet, or failed. */
export function verdictObjection(verdict: Verdict): Objection {
  switch (verdict.kind) {
    case 'fail':
      return { code: 'rule-failed', place: TASK, detail: verdict.message };
    case 'wait':
      return {
        code: 'try-later',
        place: TASK,
        ...(verdict.message !== null && { detail: verdict.message }),
      };
    case 'error':
      // The engine's limit on steps ends most loops before the sandbox's limit on time.
      if (verdict.className === 'FuelExhausted') return { code: 'rule-timeout', place: TASK };
      return {
        code: 'rule-error',
        place: TASK,
        detail: `${verdict.className}${verdict.place === null ? '' : ` in ${verdict.place}`}.`,
      };
    default:
      return verdict satisfies never;
  }
}

/** What the site file says against an ask at this destination. */
export function siteObjections(
  ask: Ask,
  site: Pick<Site, 'destinations'>,
  destination: SiteDestination,
): readonly Objection[] {
  return [
    ...taskTypeObjections(ask, destination),
    ...gpuObjections(ask, destination),
    ...(['cores', 'memory'] as const).flatMap((resource) =>
      capacityObjections(ask, resource, destination.capacity[resource]),
    ),
    ...engineObjections(ask, destination),
    ...workflowObjections(ask, site, destination),
    ...containerObjections(ask, destination),
    ...chooseEnvironment(ask, destination).objections,
    ...machineCountObjections(ask),
    ...parallelObjections(ask, destination),
    ...ask.parts.flatMap((part, index) => [
      ...platformObjections(part, index, destination),
      ...archObjections(part, index, destination),
      ...volumeObjections(part, index, destination.engine),
    ]),
  ];
}

/** Why an amount of the rules, in millicores or MiB, is outside the client's bounds. */
export function boundObjections(
  resource: 'cores' | 'memory',
  given: number,
  ask: Ask,
): readonly Objection[] {
  const {
    [resource]: { min, max },
    parts,
  } = ask;
  const part = isOneMachine(parts) ? 0 : 'all';
  if (min !== undefined && given < min)
    return [
      {
        code: 'below-requested-minimum',
        place: { what: resource, bound: 'min', part },
        ...compared(resource, min, given, saidOf(ask, resource)),
      },
    ];
  if (max !== undefined && given > max) {
    return [
      {
        code: 'above-requested-maximum',
        place: { what: resource, bound: 'max', part },
        ...compared(resource, max, given, max),
      },
    ];
  }
  return [];
}

function taskTypeObjections(
  { task, plugin }: Ask,
  { taskTypes, engine }: SiteDestination,
): readonly Objection[] {
  const name = plugin?.name ?? task.type;
  const isTaken = taskTypes.has(name) && engineKindOf(engine).executes[task.type];
  return isTaken || lacksInterpreter({ task }, { engine })
    ? []
    : [
        {
          code: 'task-type-not-here',
          place: { what: 'task-type' },
          asked: textQuantity(name),
          limit: textQuantity([...taskTypes].join(', ')),
        },
      ];
}

function gpuObjections({ parts, gpus }: Ask, { capacity }: SiteDestination): readonly Objection[] {
  if (gpus === undefined) return [];
  const has = capacity.gpus.get(gpus.type);
  if (has === undefined) {
    const part = parts.findIndex((one) => one.gpus !== undefined);
    return [
      {
        code: 'gpu-type-not-here',
        place: { what: 'gpu-type', part: Math.max(0, part) },
        asked: textQuantity(gpus.type),
      },
    ];
  }
  return has >= gpus.count
    ? []
    : [
        {
          code: 'above-capacity',
          place: { what: 'gpu-count', part: isOneMachine(parts) ? 0 : 'all' },
          ...compared('gpus', gpus.count, has, gpus.count),
        },
      ];
}

function capacityObjections(
  ask: Ask,
  resource: 'cores' | 'memory',
  has: number,
): readonly Objection[] {
  const { min } = ask[resource];
  return min === undefined || min <= has
    ? []
    : [
        {
          code: 'above-capacity',
          place: placeOfAmount(ask, resource),
          ...compared(resource, min, has, saidOf(ask, resource)),
        },
      ];
}

/** Rules compare the amount that they give the task; it may differ from the ask. */
function amountObjection(clause: Extract<Clause, { resource: unknown }>, ask: Ask): Objection {
  const { code, resource, asked, limit } = clause;
  const { gpus } = ask;
  switch (resource) {
    case 'cores':
      return {
        code,
        place: placeOfAmount(ask, 'cores'),
        ...compared('cores', asked * 1000, limit * 1000, saidOf(ask, 'cores')),
      };
    case 'mem':
      return {
        code,
        place: placeOfAmount(ask, 'memory'),
        ...compared('memory', asked * 1024, limit * 1024, saidOf(ask, 'memory')),
      };
    case 'gpus':
      return {
        code,
        place: placeOfAmount(ask, 'gpus'),
        ...compared('gpus', asked, limit, gpus?.count),
      };
    default:
      return resource satisfies never;
  }
}

/** A container may need another architecture, a network, or an image that the engine cannot load. */
function containerObjections(
  { task }: Ask,
  { arch, engine }: SiteDestination,
): readonly Objection[] {
  if (task.type !== 'oci-container') return [];
  const { architectures, image, network } = task;
  const { noArchives, grantsOutbound } = engineKindOf(engine);
  const runs = architectures.length === 0 || (arch !== undefined && architectures.includes(arch));
  return [
    ...(runs
      ? []
      : [
          {
            code: 'arch-not-here' as const,
            place: { what: 'spec', at: 'arch' } as const,
            asked: textQuantity(architectures.join(', ')),
            limit: textQuantity(arch ?? 'not known'),
          },
        ]),
    ...(network === 'none' || grantsOutbound?.(engine) === true
      ? []
      : [
          {
            code: 'network-not-here' as const,
            place: { what: 'spec', at: 'network' } as const,
            asked: textQuantity(network),
            limit: textQuantity('none'),
          },
        ]),
    ...(image.kind === 'archive' && noArchives !== undefined
      ? [
          {
            code: 'url-forbidden' as const,
            place: { what: 'spec', at: 'image' } as const,
            asked: textQuantity(image.url),
            detail: noArchives,
          },
        ]
      : []),
  ];
}

/** Too many machines are refused, never left out. A Helm chart has one item: it counts its own pods. */
function machineCountObjections({ parts, task }: Ask): readonly Objection[] {
  const all = parts.reduce((sum, { replicas }) => sum + replicas, 0);
  if (all > MOST_MACHINES)
    return [
      {
        code: 'compute-items-not-here',
        place: { what: 'parts' },
        asked: numberQuantity(all),
        limit: numberQuantity(MOST_MACHINES),
      },
    ];
  if (task.type !== 'helm-chart') return [];
  const several =
    parts.length === 1
      ? []
      : [
          {
            code: 'compute-items-not-here' as const,
            place: { what: 'parts' } as const,
            asked: numberQuantity(parts.length),
            limit: numberQuantity(1),
          },
        ];
  const replicated = parts.flatMap(({ replicas }, part): readonly Objection[] =>
    replicas > 1
      ? [
          {
            code: 'compute-items-not-here',
            place: { what: 'replicas', part },
            asked: numberQuantity(replicas),
            limit: numberQuantity(1),
          },
        ]
      : [],
  );
  return [...several, ...replicated];
}

function platformObjections(
  { platform }: ComputePart,
  part: number,
  { platforms }: SiteDestination,
): readonly Objection[] {
  if (platform === undefined) return [];
  const has = platforms.get(platform.name);
  if (has === undefined)
    return [
      {
        code: 'compute-type-not-here',
        place: { what: 'compute-type', part },
        asked: textQuantity(platform.name),
        limit: textQuantity([...platforms.keys()].join(', ')),
      },
    ];
  const mismatch = has.type.mismatch(platform.block, has.attributes);
  if (mismatch === undefined) return [];
  const { text, asked, limit } = mismatch;
  return [
    {
      code: 'compute-type-mismatch',
      place: { what: 'compute-block', part, name: platform.name },
      detail: `${text}.`,
      ...(asked !== undefined && { asked: textQuantity(asked) }),
      ...(limit !== undefined && { limit: textQuantity(limit) }),
    },
  ];
}

function archObjections(
  { arch }: ComputePart,
  part: number,
  destination: SiteDestination,
): readonly Objection[] {
  return arch === undefined || arch === destination.arch
    ? []
    : [
        {
          code: 'arch-not-here',
          place: { what: 'arch', part },
          asked: textQuantity(arch),
          limit: textQuantity(destination.arch ?? 'not known'),
        },
      ];
}

function volumeObjections(
  { volumes }: ComputePart,
  part: number,
  engine: Engine,
): readonly Objection[] {
  const problemOf = engineKindOf(engine).volumeProblem(engine);
  return volumes.flatMap((volume, of) => {
    const detail = problemOf(volume);
    return detail === undefined
      ? []
      : [
          {
            code: 'volume-path-not-here',
            place: { what: 'volume', part, volume: of },
            asked: textQuantity(volume.path),
            detail: `${detail}.`,
          },
        ];
  });
}
