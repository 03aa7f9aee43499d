import { engineKindOf, type Engine } from '../../runners/engine.ts';
import { MOST_MACHINES } from '../../runners/port.ts';
import type { SiteDestination } from '../../site/destination.ts';
import type { Site } from '../../site/site.ts';
import type { Ask, ComputePart } from '../ask.ts';
import { placeOfAmount } from '../place.ts';
import { compared, numberQuantity, textQuantity } from '../refusal.ts';
import { containerObjections } from './containers.ts';
import { engineObjections } from './engine-limits.ts';
import { chooseEnvironment } from './environments.ts';
import type { Objection } from './objection.ts';
import { parallelObjections } from './parallel.ts';
import { isOneMachine, saidOf } from './parts.ts';
import { lacksInterpreter, workflowObjections } from './workflows/objections.ts';

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
