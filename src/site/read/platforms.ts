import { ARCHITECTURES, type Architecture } from '../../compute/arch.ts';
import type { ComputeTypes } from '../../compute/registry.ts';
import type { Platforms } from '../../compute/type.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { blockOf } from '../../yaml/block.ts';

/** The types of compute resource of a destination; `compute` has the attributes of each. */
export function readPlatforms(
  reader: Reader,
  node: Node | undefined,
  what: string,
  types: ComputeTypes,
): Platforms {
  const everywhere = types.all
    .filter((type) => type.everywhere)
    .map((type) => [type.name, { type, attributes: {} }] as const);
  const listed = reader.entries(node, what).flatMap(({ name, key, value }) => {
    const at = `${what}.${name}`;
    const type = types.all.find((one) => one.name === name && !one.everywhere);
    if (type === undefined) {
      reader.problem(
        key,
        `${what}: '${name}' is not a type of compute resource`,
        `known are ${types.all
          .filter((one) => !one.everywhere)
          .map((one) => one.name)
          .join(', ')}`,
      );
      return [];
    }
    const map = reader.expectMap(value, at);
    const attributes = map && blockOf(reader, map, at);
    if (attributes === undefined) return [];
    for (const { key: place, text } of type.faultsOfAttributes(attributes))
      reader.problem(value, `${at}${place === '' ? '' : `.${place}`}: ${text}`);
    return [[name, { type, attributes }] as const];
  });
  return new Map([...everywhere, ...listed]);
}

/**
 * The architecture of a destination's processors; undefined: not known.
 *
 * @param otherwise the default, if known
 */
export function readArch(
  reader: Reader,
  node: Node | undefined,
  what: string,
  otherwise?: Architecture,
): Architecture | undefined {
  return reader.expectOneOf(node, what, ARCHITECTURES) ?? otherwise;
}
