import type { MapNode, Node, Reader } from '../../yaml/index.ts';
import type { SiteDestination } from '../destination.ts';
import { readCosts } from './costs.ts';
import { readDestination, type DestinationSurroundings } from './destination.ts';

/**
 * The section `destinations` of the site file.
 * @param costs the section `costs`, of destinations that have none of their own
 */
export function readDestinations(
  reader: Reader,
  node: MapNode | undefined,
  costs: Node | undefined,
  surroundings: Omit<DestinationSurroundings, 'costs'>,
): readonly SiteDestination[] {
  const usual = readCosts(reader, costs, 'costs', []);
  return (node ? reader.entries(node, 'destinations') : []).flatMap(
    ({ name, value }) =>
      readDestination(reader, name, value, { ...surroundings, costs: usual }) ?? [],
  );
}
