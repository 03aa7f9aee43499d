import type { Limits } from '../../port.ts';
import { parseQuantity } from '../manifests/quantity.ts';
import { fieldsAt, only, refuseChart } from './checked.ts';

/** The amounts that a container states, in millicores and MiB; undefined where it states none. */
export type Stated = {
  readonly cores: number | undefined;
  readonly memory: number | undefined;
  readonly gpus: number;
};

/** What the containers of a pod state, and how many such pods there are at once. */
export type PodClaim = {
  /** those that run together */
  readonly together: readonly Stated[];
  /** those that run before them, one after the other */
  readonly before: readonly Stated[];
  readonly times: number;
};

/** Millicores and MiB. */
type Amounts = { readonly cores: number; readonly memory: number };

/** What containers get that state nothing. */
export type ContainerShare = {
  /** each of those that run together */
  readonly each: Amounts;
  /** one that runs alone before them: all of its pod */
  readonly alone: (pod: PodClaim) => Amounts;
};

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
  pods: readonly PodClaim[],
  { cores, memory }: Limits,
  gpus: number,
): ContainerShare {
  const asked = sumOf(pods, (pod) => statedBy(pod, 'gpus'));
  if (asked > gpus)
    refuseChart('the chart', `it takes ${asked} graphics processors, and ${gpus} were offered`);
  const each = {
    cores: shareOf(pods, 'cores', cores, 'millicores'),
    memory: shareOf(pods, 'memory', memory, 'MiB'),
  };
  const alone = (pod: PodClaim, key: keyof Amounts): number =>
    statedBy(pod, key) + silentIn(pod, key) * each[key];
  return { each, alone: (pod) => ({ cores: alone(pod, 'cores'), memory: alone(pod, 'memory') }) };
}

function quantityAt(value: unknown, place: string): number | undefined {
  return value == null
    ? undefined
    : (parseQuantity(value) ?? refuseChart(place, 'this is no quantity'));
}

function shareOf(
  pods: readonly PodClaim[],
  key: keyof Amounts,
  offered: number,
  unit: string,
): number {
  const stated = sumOf(pods, (pod) => statedBy(pod, key));
  const silent = sumOf(pods, (pod) => silentIn(pod, key));
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

function sumOf(pods: readonly PodClaim[], of: (pod: PodClaim) => number): number {
  return pods.reduce((sum, pod) => sum + of(pod) * pod.times, 0);
}

/** What a pod takes at most at a time, as far as its containers say. */
function statedBy({ together, before }: PodClaim, key: keyof Stated): number {
  const later = together.reduce((sum, one) => sum + (one[key] ?? 0), 0);
  return Math.max(later, ...before.map((one) => one[key] ?? 0));
}

/** How many of the containers that run together say nothing. */
function silentIn({ together }: PodClaim, key: keyof Stated): number {
  return together.filter((one) => one[key] === undefined).length;
}
