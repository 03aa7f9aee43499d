import type { Limits } from '../../port.ts';
import { parseQuantity } from '../manifests/quantity.ts';
import { fieldsAt, only, refuseChart } from './checked.ts';

/** The amounts that a container states, in millicores and MiB; undefined where it states none. */
export type Stated = {
  readonly cores: number | undefined;
  readonly memory: number | undefined;
  readonly gpus: number;
};

/** A container of a chart and how many of it run at once. */
export type ContainerClaim = Stated & { readonly times: number };

/** What each container gets that states nothing. */
export type ContainerShare = { readonly cores: number; readonly memory: number };

const MEBI = 2 ** 20;

/**
 * Reads `resources` of a container: its limits count, or else its requests.
 *
 * @param gpu the extended resource of the offer's graphics processors;
 * undefined when none were offered
 */
export function statedAt(value: unknown, place: string, gpu: string | undefined): Stated {
  const resources = only(value, place, ['limits', 'requests']);
  const known = ['cpu', 'memory', 'ephemeral-storage', ...(gpu === undefined ? [] : [gpu])];
  const [limits, requests] = (['limits', 'requests'] as const).map((key) =>
    only(resources[key], `${place}.${key}`, known),
  );
  const found = { ...fieldsAt(requests, place), ...fieldsAt(limits, place) };
  const [cores, memory] = [
    quantityAt(found['cpu'], `${place}.cpu`),
    quantityAt(found['memory'], `${place}.memory`),
  ];
  return {
    cores: cores === undefined ? undefined : cores * 1000,
    memory: memory === undefined ? undefined : memory / MEBI,
    gpus: gpu === undefined ? 0 : (quantityAt(found[gpu], `${place}.${gpu}`) ?? 0),
  };
}

/**
 * Compares what the containers of a chart take together with the offer. Containers that state
 * nothing share the rest evenly.
 *
 * @throws JobFailure when it is more than offered
 */
export function containerSharesOf(
  claims: readonly ContainerClaim[],
  { cores, memory }: Limits,
  gpus: number,
): ContainerShare {
  const asked = claims.reduce((sum, claim) => sum + claim.gpus * claim.times, 0);
  if (asked > gpus)
    refuseChart('the chart', `it takes ${asked} graphics processors, and ${gpus} were offered`);
  return {
    cores: shareOf(claims, 'cores', cores, 'millicores'),
    memory: shareOf(claims, 'memory', memory, 'MiB'),
  };
}

function quantityAt(value: unknown, place: string): number | undefined {
  return value == null
    ? undefined
    : (parseQuantity(value) ?? refuseChart(place, 'this is no quantity'));
}

function shareOf(
  claims: readonly ContainerClaim[],
  key: 'cores' | 'memory',
  offered: number,
  unit: string,
): number {
  const stated = claims.reduce((sum, claim) => sum + (claim[key] ?? 0) * claim.times, 0);
  const silent = claims.reduce(
    (sum, claim) => sum + (claim[key] === undefined ? claim.times : 0),
    0,
  );
  // One thousandth for the rounding of quantities.
  if (stated > offered * 1.001)
    refuseChart(
      'the chart',
      `it takes ${Math.ceil(stated)} ${unit} at once, and ${offered} were offered`,
    );
  const share = silent === 0 ? 0 : (offered - stated) / silent;
  if (silent > 0 && share < 1)
    refuseChart(
      'the chart',
      `what it states of ${unit} leaves nothing for the containers that state nothing`,
    );
  return share;
}
