import type { Mebibytes, Millicores } from '../words/units.ts';

/** GPUs of one type; the type is a URI that the site file names. */
export type Gpus = { readonly type: string; readonly count: number };

/** What a task gets of a destination, or a reservation takes of it. */
export type Amount = {
  readonly cores: Millicores;
  readonly memory: Mebibytes;
  readonly scratch: Mebibytes;
  readonly gpus: Gpus | undefined;
};

/** What a destination has in total, or has free. */
export type Capacity = {
  readonly cores: number;
  readonly memory: number;
  readonly scratch: number;
  /** count by GPU type URI */
  readonly gpus: ReadonlyMap<string, number>;
};

/** The resources that can run short. */
export type ResourceKind = 'cores' | 'memory' | 'scratch' | 'gpus';

/** A resource that is short; both numbers in the unit of `Amount`. */
type Shortage = { readonly resource: ResourceKind; readonly asked: number; readonly limit: number };

/** The share of a destination that an amount takes: the largest share of any resource. */
export function partOf({ cores, memory, scratch, gpus }: Amount, has: Capacity): number {
  const pairs = [
    [cores, has.cores],
    [memory, has.memory],
    [scratch, has.scratch],
    [gpus?.count ?? 0, has.gpus.get(gpus?.type ?? '') ?? 0],
  ] as const;
  return Math.max(0, ...pairs.map(([taken, all]) => (all === 0 ? 0 : taken / all)));
}

/** All resources that `has` has too little of; empty if the amount fits. */
export function shortages(amount: Amount, has: Capacity): readonly Shortage[] {
  const { gpus } = amount;
  const pairs: readonly Shortage[] = [
    { resource: 'cores', asked: amount.cores, limit: has.cores },
    { resource: 'memory', asked: amount.memory, limit: has.memory },
    { resource: 'scratch', asked: amount.scratch, limit: has.scratch },
    ...(gpus === undefined
      ? []
      : [{ resource: 'gpus' as const, asked: gpus.count, limit: has.gpus.get(gpus.type) ?? 0 }]),
  ];
  return pairs.filter(({ asked, limit }) => asked > limit);
}
