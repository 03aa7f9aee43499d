import type { ScalarText } from '../../../yaml/spelling.ts';
import type { Comment } from './document.ts';
import type { Carried } from './tokens.ts';

/**
 * A node as it is read, with its comments until they get their place: one object for all its
 * aliases.
 */
export type Read = ReadScalar | ReadSeq | ReadMap;

type Properties = { readonly anchor?: string | undefined; readonly tag?: string | undefined };

export type ReadScalar = Properties & ScalarText & { comments?: Carried | undefined };

export type ReadSeq = Properties & {
  readonly kind: 'seq';
  readonly flow: boolean;
  readonly items: Read[];
  comments?: (Carried & { readonly end?: readonly Comment[] | undefined }) | undefined;
};

export type ReadMap = Properties & {
  readonly kind: 'map';
  readonly flow: boolean;
  readonly entries: (readonly [ReadScalar, Read])[];
  comments?: Carried | undefined;
};
