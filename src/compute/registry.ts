import { kubernetes } from './kubernetes.ts';
import { simple } from './simple.ts';
import type { ComputeType } from './type.ts';

/** The types of compute resource that a service knows. */
export type ComputeTypes = {
  readonly all: readonly ComputeType[];
  /** The type that `uri` names, or undefined: not understood means NO. */
  readonly find: (uri: string) => ComputeType | undefined;
};

/** What is built in. A new one is a file of its own and a line here. */
const BUILT_IN: readonly ComputeType[] = [simple, kubernetes];

/**
 * What is built in, and more. Names and URIs are unique, which the loader of the plug-ins sees to.
 */
export function computeTypesWith(more: readonly ComputeType[]): ComputeTypes {
  const all = [...BUILT_IN, ...more];
  const byUri = new Map(
    all.flatMap((type) => [type.uri, ...type.aliases].map((uri) => [uri, type] as const)),
  );
  return { all, find: (uri) => byUri.get(uri) };
}

/** The types without any plug-in. */
export const builtInComputeTypes: ComputeTypes = computeTypesWith([]);
