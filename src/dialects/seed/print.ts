import { Duration } from 'luxon';
import type { components } from '../../generated/api.d.ts';
import type { Promised } from '../../planner/offer.ts';
import { printQuantity, refusalText, type Refusal } from '../../planner/refusal.ts';
import type { SessionState } from '../../planner/states.ts';
import type { Task } from '../../tasks/task.ts';
import { printSize, toCores } from '../../words/units.ts';

type WireOffer = components['schemas']['Offer'];
type WireReason = components['schemas']['Reason'];
type WireResources = components['schemas']['Resources'];

/** The seed writes sizes as `16Gb`. */
const STYLE = 'Gb';

/** What is printed of an offer, fresh or read back from the book. */
export type PrintableOffer = {
  readonly id: string;
  readonly state: SessionState;
  readonly destination: string;
  readonly promised: Promised;
  readonly startsAt: number;
  readonly expiresAt: number;
  readonly durationS: number;
  readonly secondsLeft: number;
};

/** A duration in seconds as ISO 8601: 5400 is PT1H30M. */
export const printDuration = (seconds: number): string => Duration.fromObject({ seconds }).rescale().toISO();

const instant = (at: number): string => new Date(at).toISOString();

/** The type-specific part of a task, as its type reads it. */
const specOf = (task: Task): Record<string, unknown> => {
  switch (task.type) {
    case 'jupyter-notebook':
      return task.notebook.kind === 'url' ? { notebook: task.notebook.url } : { content: task.notebook.text };
    case 'python-program':
      return { ...(task.program.kind === 'url' ? { program: task.program.url } : { source: task.program.text }), arguments: task.arguments };
    case 'executable':
      return { command: task.command, environment: task.environment };
    default:
      return task satisfies never;
  }
};

const resourcesOf = ({ name, cores, memory, gpus, volumes, storage }: Promised): WireResources => ({
  compute: [{
    ...(name === undefined ? {} : { name }),
    'min-cores': toCores(cores.min), 'max-cores': toCores(cores.max),
    'min-memory': printSize(memory.min, STYLE), 'max-memory': printSize(memory.max, STYLE),
    ...(gpus === undefined ? {} : { gpu: { type: gpus.type, count: gpus.count } }),
    ...(volumes.length === 0 ? {} : { volumes: volumes.map((volume) => ({ ...volume })) }),
  }],
  ...(storage.length === 0
    ? {}
    : { storage: storage.map((item) => ({ name: item.name, type: 'https://www.purl.org/ivoa-net/storage-type/ephemeral', size: printSize(item.size, STYLE) })) }),
});

/**
 * An offer on the wire, with everything a client needs to go on: no secret, and nothing that depends on the engine.
 *
 * @param base URL under which the client sees this service, without a slash at its end
 */
export const printOffer = (offer: PrintableOffer, base: string): WireOffer => ({
  ident: offer.id,
  href: `${base}/offers/${offer.id}`,
  status: offer.state,
  expires: instant(offer.expiresAt),
  'expires-in': offer.secondsLeft,
  destination: offer.destination,
  time: { start: instant(offer.startsAt), duration: printDuration(offer.durationS) },
  connection: {
    type: 'ivo://ivoa.net/std/UWS#rest-1.1',
    jobs: `${base}/jobs`,
    job: `${base}/jobs/${offer.id}`,
    method: 'POST',
    parameters: { OFFER: offer.id, PHASE: 'RUN' },
  },
  request: {
    task: { type: offer.promised.taskType, spec: specOf(offer.promised.task) },
    resources: resourcesOf(offer.promised),
  },
});

/** A reason on the wire, numbers in the style of the dialect. */
export const printReason = (refusal: Refusal): WireReason => ({
  code: refusal.code,
  path: refusal.path,
  text: refusalText(refusal, STYLE),
  ...(refusal.destination === undefined ? {} : { destination: refusal.destination }),
  ...(refusal.asked === undefined ? {} : { asked: printQuantity(refusal.asked, STYLE) }),
  ...(refusal.limit === undefined ? {} : { limit: printQuantity(refusal.limit, STYLE) }),
});
