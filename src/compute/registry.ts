import { kubernetes } from './kubernetes.ts';
import { namedTypes, type NamedTypes } from '../words/named-types.ts';
import { simple } from './simple.ts';
import type { ComputeType } from './type.ts';

/** The types of compute resource that a service knows. */
export type ComputeTypes = NamedTypes<ComputeType>;

/** The built-in types. A new one is a file of its own and a line here. */
const BUILT_IN: readonly ComputeType[] = [simple, kubernetes];

/**
 * The built-in types and others; the loader of plug-ins has checked that names and URIs are unique.
 */
export function computeTypesWith(more: readonly ComputeType[]): ComputeTypes {
  return namedTypes([...BUILT_IN, ...more]);
}

/** The types without plug-ins. */
export const builtInComputeTypes: ComputeTypes = computeTypesWith([]);
