import type { Gpus } from '../schedule/amount.ts';
import type { Mebibytes, Millicores } from '../words/units.ts';

/** A fixed size that a destination hands out whole, as clouds do. */
export type Flavour = {
  readonly name: string;
  readonly cores: Millicores;
  readonly memory: Mebibytes;
  readonly gpus: Gpus | undefined;
};

/** A range of one resource; amounts are `min` and whole steps above it. */
export type Steps<Unit> = {
  readonly min: Unit;
  readonly max: Unit;
  readonly step: Unit | undefined;
};

/**
 * In which sizes a destination hands out what it has: any, some fixed ones, a range, or any as a
 * minimum that may be gone beyond.
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
 * A minimum is kept for a job, and it may use so many times as much while nobody else
 * needs it; never more than `most`.
 */
export type Burst = {
  readonly kind: 'burst';
  readonly cores: number;
  readonly memory: number;
  readonly most: { readonly cores: number; readonly memory: number };
};
