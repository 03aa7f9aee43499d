import type { Gpus } from '../schedule/amount.ts';
import type { Mebibytes, Millicores } from '../words/units.ts';

/** A fixed size, as clouds have them. */
export type Flavour = {
  readonly name: string;
  readonly cores: Millicores;
  readonly memory: Mebibytes;
  readonly gpus: Gpus | undefined;
};

/** A range of one resource in steps: `min` plus whole steps. */
export type Steps<Unit> = {
  readonly min: Unit;
  readonly max: Unit;
  readonly step: Unit | undefined;
};

/**
 * The sizes that a destination hands out: any, some fixed ones, a range, or any size as a minimum
 * that jobs may exceed.
 */
export type Sizes =
  | { readonly kind: 'any' }
  | { readonly kind: 'flavours'; /** the smallest first */ readonly flavours: readonly Flavour[] }
  | {
      readonly kind: 'elastic';
      readonly cores: Steps<Millicores> | undefined;
      readonly memory: Steps<Mebibytes> | undefined;
    }
  | Burst;

/**
 * A job is guaranteed its minimum and may use this many times as much while other jobs do not need
 * it, at most `most`.
 */
export type Burst = {
  readonly kind: 'burst';
  readonly cores: number;
  readonly memory: number;
  readonly most: { readonly cores: number; readonly memory: number };
};
