import type { SiteDestination } from '../site/site.ts';
import { notebookVolumeProblem, processVolumeProblem } from '../tasks/volumes.ts';
import type { Clause, Verdict } from '../vortex/index.ts';
import type { Ask } from './ask.ts';
import { coresOf, numberOf, sizeOf, textOf, type Refusal } from './refusal.ts';

/** A refusal before it is said whose it is. */
export type Objection = Omit<Refusal, 'destination'>;

const byAmount = (clause: Extract<Clause, { resource: unknown }>, { paths }: Ask): Objection => {
  const { code, resource, asked, limit } = clause;
  switch (resource) {
    case 'cores':
      return { code, path: paths.cores, asked: coresOf(asked * 1000), limit: coresOf(limit * 1000) };
    case 'mem':
      return { code, path: paths.memory, asked: sizeOf(asked * 1024), limit: sizeOf(limit * 1024) };
    case 'gpus':
      return { code, path: paths.gpus, asked: numberOf(asked), limit: numberOf(limit) };
    default:
      return resource satisfies never;
  }
};

/** A clause of the rule files in the words of the answer. */
export const ofClause = (clause: Clause, ask: Ask): Objection => {
  switch (clause.code) {
    case 'destination-abstract':
      return { code: 'no-destination', path: 'task' };
    case 'not-ranked':
      return { code: clause.code, path: 'task' };
    case 'required-tag-missing':
      return { code: clause.code, path: 'task', asked: textOf(clause.tag), detail: `It is required by the ${clause.by === 'job' ? 'task' : 'destination'}.` };
    case 'tag-rejected':
      return { code: clause.code, path: 'task', asked: textOf(clause.tag), detail: `It is rejected by the ${clause.by === 'job' ? 'task' : 'destination'}.` };
    case 'above-max-accepted':
    case 'below-min-accepted':
      return byAmount(clause, ask);
    default:
      return clause satisfies never;
  }
};

/** A rule that said no, not yet, or broke. */
export const ofVerdict = (verdict: Verdict): Objection => {
  switch (verdict.kind) {
    case 'fail':
      return { code: 'rule-failed', path: 'task', detail: verdict.message };
    case 'wait':
      return { code: 'try-later', path: 'task', ...(verdict.message === null ? {} : { detail: verdict.message }) };
    case 'error':
      // The engine's own limit on steps ends most loops before the sandbox's limit on time does.
      if (verdict.className === 'FuelExhausted') return { code: 'rule-timeout', path: 'task' };
      return { code: 'rule-error', path: 'task', detail: `${verdict.className}${verdict.place === null ? '' : ` in ${verdict.place}`}.` };
    default:
      return verdict satisfies never;
  }
};

const ofVolumes = (ask: Ask, runner: SiteDestination['runner']): readonly Objection[] =>
  ask.volumes.flatMap((volume, index) => {
    const detail = runner === 'notebook' ? notebookVolumeProblem(volume) : processVolumeProblem(volume);
    return detail === undefined ? [] : [{ code: 'volume-path-not-here', path: `${ask.paths.volumes}[${index}]`, asked: textOf(volume.path), detail: `${detail}.` }];
  });

/** What the site file says against an ask at this destination: task type, GPU type, total capacity, volumes. */
export const ofSite = (ask: Ask, { taskTypes, capacity, runner }: SiteDestination): readonly Objection[] => {
  const { task, gpus, cores, memory, paths } = ask;
  const has = gpus === undefined ? undefined : capacity.gpus.get(gpus.type);
  const type: Objection = { code: 'task-type-not-here', path: 'task.type', asked: textOf(task.type), limit: textOf([...taskTypes].join(', ')) };
  return [
    ...(taskTypes.has(task.type) ? [] : [type]),
    ...(gpus !== undefined && has === undefined ? [{ code: 'gpu-type-not-here' as const, path: `${paths.gpus}.type`, asked: textOf(gpus.type) }] : []),
    ...(gpus !== undefined && has !== undefined && has < gpus.count
      ? [{ code: 'above-capacity' as const, path: `${paths.gpus}.count`, asked: numberOf(gpus.count), limit: numberOf(has) }] : []),
    ...(cores.min !== undefined && cores.min > capacity.cores
      ? [{ code: 'above-capacity' as const, path: paths.cores, asked: coresOf(cores.min), limit: coresOf(capacity.cores) }] : []),
    ...(memory.min !== undefined && memory.min > capacity.memory
      ? [{ code: 'above-capacity' as const, path: paths.memory, asked: sizeOf(memory.min), limit: sizeOf(capacity.memory) }] : []),
    ...ofVolumes(ask, runner),
  ];
};

/** What a clamped or overridden amount says against the client's bounds (R1), in millicores or MiB. */
export const ofBounds = (kind: 'cores' | 'memory', given: number, { min, max }: { readonly min: number | undefined; readonly max: number | undefined }, path: string): readonly Objection[] => {
  const quantity = kind === 'cores' ? coresOf : sizeOf;
  if (min !== undefined && given < min) return [{ code: 'below-requested-minimum', path, asked: quantity(min), limit: quantity(given) }];
  if (max !== undefined && given > max) {
    return [{ code: 'above-requested-maximum', path: path.replace(/min-/, 'max-'), asked: quantity(max), limit: quantity(given) }];
  }
  return [];
};

