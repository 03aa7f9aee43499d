import type { components } from '../../../generated/api.d.ts';
import type { PrintableOffer } from '../../../planner/dialect.ts';
import type { OfferJob } from '../../../planner/session.ts';
import { ownKind } from '../kinds.ts';
import { uriOf } from '../generations.ts';
import { printMessage } from './messages.ts';
import type { PrintedFor, WireMessage } from './words.ts';

type WireConnector = NonNullable<components['schemas']['BrokerSession']['connectors']>[number];
type WireMeasure = components['schemas']['BrokerMeasure'];

/** How a client reaches the job of a session: its UWS resource, and its results when it is over. */
export function printConnectors(
  { base }: PrintedFor,
  { id, job }: Pick<PrintableOffer, 'id' | 'job'>,
): WireConnector[] {
  if (job === undefined) return [];
  const url = `${base}/jobs/${id}`;
  const protocol = base.startsWith('https:') ? 'HTTPS' : 'HTTP';
  const of = (name: string, location: string): WireConnector => ({
    kind: ownKind(`connector/${name}`),
    status: job.isArchived ? 'FINISHED' : 'AVAILABLE',
    protocol,
    location,
  });
  return [
    { ...of('uws-job', url), status: 'AVAILABLE' },
    ...(job.endedAt === undefined ? [] : [of('results', `${url}/results`)]),
    ...job.results.slice(0, MOST_RESULTS).map((one) => of('result', `${url}/results/${one.id}`)),
  ];
}

/** The same in the words of 2024. */
export function printAccess(connectors: readonly WireConnector[]) {
  return connectors.map(({ status, protocol, location = '' }) => ({
    status: status === 'AVAILABLE' ? 'ACTIVE' : (status ?? 'FINISHED'),
    protocol: protocol ?? 'HTTP',
    locations: [location],
  }));
}

/** Why a job failed, or was cancelled. */
export function jobMessages(
  to: PrintedFor,
  { state, job, modifiedAt }: Pick<PrintableOffer, 'state' | 'job' | 'modifiedAt'>,
): WireMessage[] {
  if (job?.error === undefined) return [];
  const { code, message } = job.error;
  const template = '{code}: {error}';
  const values = { code, error: message };
  const level = state === 'CANCELLED' ? 'INFO' : 'ERROR';
  return [printMessage(to, level, job.endedAt ?? modifiedAt, { template, values })];
}

/** What a job that is over used. */
export function printUsage({ spelling }: PrintedFor, usage: OfferJob['usage']): WireMeasure[] {
  const { wallS, processorS, memoryMib } = usage ?? {};
  const measures = [
    ['wall-seconds', wallS],
    ['processor-seconds', processorS],
    ['memory-mebibytes', memoryMib],
  ] as const;
  const kind = uriOf(spelling, 'metrics', 'simple-minmax-float-metric');
  return measures.flatMap(([name, value]) =>
    value === undefined ? [] : [{ kind, type: ownKind(`metrics/${name}`), min: value, max: value }],
  );
}

/** What an offer costs. */
export function printCosts(
  { spelling }: PrintedFor,
  { costs = [] }: PrintableOffer['promised'],
): WireMeasure[] {
  const kind = uriOf(spelling, 'costs', 'simple-minmax-float-cost');
  return costs.map((cost) => ({ kind, ...cost }));
}

/** A job may have a thousand results; the list of results has all. */
const MOST_RESULTS = 20;
