import { kubernetes } from './kubernetes.ts';
import { simple } from './simple.ts';
import type { ComputeType } from './type.ts';

/** The types of compute resource that a service knows. */
export type ComputeTypes = {
  readonly all: readonly ComputeType[];
  /** The type with this URI; undefined means NO. */
  readonly find: (uri: string) => ComputeType | undefined;
};

/** The built-in types. A new one is a file of its own and a line here. */
const BUILT_IN: readonly ComputeType[] = [simple, kubernetes];

/**
 * The built-in types and others; the loader of plug-ins has checked that names and URIs are unique.
 */
export function computeTypesWith(more: readonly ComputeType[]): ComputeTypes {
  const all = [...BUILT_IN, ...more];
  const byUri = new Map(
    all.flatMap((type) => [type.uri, ...type.aliases].map((uri) => [uri, type] as const)),
  );
  return { all, find: (uri) => byUri.get(uri) };
}

/** The types without plug-ins. */
export const builtInComputeTypes: ComputeTypes = computeTypesWith([]);
