import type { IsolationWish } from '../process/settings.ts';
import type { Node, Reader } from '../../yaml/index.ts';

const WISHES = ['required', 'preferred', 'none'] as const satisfies readonly IsolationWish[];

/** The key `isolation` for jobs on this machine; undefined without it. */
export function readIsolation(
  reader: Reader,
  node: Node | undefined,
  what: string,
): IsolationWish | undefined {
  return reader.expectOneOf(node, `${what}.isolation`, WISHES);
}
