import fc from 'fast-check';
import type { SeedAsk } from '../../../src/dialects/seed/read.ts';
import { between, GPUS, HOUR, maybe, type Drawn } from './draws.ts';

/** One machine: cores, GiB, and GPUs of the type of the ask. */
export const alone = machine({ cores: 10, memory: 20, gpus: 4, replicas: 1 });
/** Items of small machines, some of them replicated. */
export const several = fc.array(machine({ cores: 2, memory: 4, gpus: 1, replicas: 3 }), {
  minLength: 1,
  maxLength: 3,
});

/** An ask for drawn machines. */
export function askOf(items: fc.Arbitrary<Drawn<typeof alone>[]>) {
  return fc.record({
    command: fc.constantFrom('clamped', 'tagged', 'ruled', 'ranked', 'fixed', 'plain'),
    items,
    // All GPUs of an ask are of one type.
    gpu: fc.constantFrom(...GPUS, 'urn:gpu:c'),
    scratch: maybe(between(1, 300)),
    time: fc.oneof(
      fc.constant(undefined),
      fc.record({
        after: between(-30, 900),
        window: maybe(between(1, 6)),
        hours: maybe(between(1, 60)),
      }),
    ),
  });
}

/** The ask in the words of the wire. */
export function bodyFrom(
  { command, items, gpu, scratch, time }: Drawn<ReturnType<typeof askOf>>,
  now: number,
): SeedAsk {
  const at = (hours: number): string => new Date(now + hours * HOUR).toISOString();
  const start =
    time &&
    (time.window === undefined
      ? at(time.after)
      : `${at(time.after)}/${at(time.after + time.window)}`);
  return {
    task: {
      type: 'https://www.purl.org/ivoa-net/task-type/executable',
      spec: { command: [command] },
    },
    resources: {
      compute: items.map((item) => computeFrom(item, gpu, scratch !== undefined)),
      ...(scratch === undefined
        ? {}
        : {
            storage: [
              {
                name: 's',
                type: 'https://www.purl.org/ivoa-net/storage-type/ephemeral',
                size: `${scratch}Gb`,
              },
            ],
          }),
    },
    ...(start === undefined
      ? {}
      : {
          time: { start, ...(time?.hours === undefined ? {} : { duration: `PT${time.hours}H` }) },
        }),
  };
}

function machine(most: {
  readonly cores: number;
  readonly memory: number;
  readonly gpus: number;
  readonly replicas: number;
}) {
  return fc.record({
    minCores: maybe(between(1, most.cores)),
    moreCores: maybe(between(0, 4)),
    minMemory: maybe(between(1, most.memory)),
    moreMemory: maybe(between(0, 8)),
    gpus: between(-most.gpus, most.gpus).map((count) => (count > 0 ? count : undefined)),
    mounts: fc.boolean(),
    replicas: between(1, most.replicas),
  });
}

function computeFrom(
  { minCores, moreCores, minMemory, moreMemory, gpus, mounts, replicas }: Drawn<typeof alone>,
  gpu: string,
  isMountable: boolean,
) {
  return {
    ...(replicas === 1 ? {} : { replicas }),
    ...(minCores === undefined ? {} : { 'min-cores': minCores }),
    ...(moreCores === undefined ? {} : { 'max-cores': (minCores ?? 1) + moreCores }),
    ...(minMemory === undefined ? {} : { 'min-memory': `${minMemory}Gb` }),
    ...(moreMemory === undefined ? {} : { 'max-memory': `${(minMemory ?? 1) + moreMemory}Gb` }),
    ...(gpus === undefined ? {} : { gpu: { type: gpu, count: gpus } }),
    ...(mounts && isMountable
      ? { volumes: [{ name: 's', path: 'scratch', mode: 'rw' as const }] }
      : {}),
  };
}
