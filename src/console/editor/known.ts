import type { AskSchemas, Schema } from './schema.ts';

/** What is known of a site. */
type KnownSite = {
  readonly kinds: readonly {
    readonly type: string;
    readonly title: string;
    readonly schema: Schema;
  }[];
  readonly gpuTypes: readonly string[];
  readonly architectures: readonly string[];
};

/**
 * What the site knows better than the contract: its kinds of tasks, machines and GPUs.
 *
 * @param type URI of the task type of the ask
 */
export function knownOf(
  { kinds, gpuTypes, architectures }: KnownSite,
  type: string,
): AskSchemas['known'] {
  const spec = kinds.find((kind) => kind.type === type)?.schema;
  return {
    'task.type': { oneOf: kinds.map((kind) => ({ const: kind.type, title: kind.title })) },
    ...(spec !== undefined && { 'task.spec': spec }),
    ...(gpuTypes.length > 0 && { 'resources.compute.[].gpu.type': { enum: gpuTypes } }),
    ...(architectures.length > 0 && { 'resources.compute.[].arch': { enum: architectures } }),
  };
}
