import { isRecord } from '../../../words/record.ts';
import { isMissing, type EngineApi } from './client.ts';

/** What the engine says of a job's container. */
export type Inspected = {
  readonly id: string;
  /** see src/runners/container/tickets.ts; undefined for a container of the previous version */
  readonly ticket: number | undefined;
  readonly phase: 'created' | 'running' | 'ended';
  readonly exit: number;
  readonly oomKilled: boolean;
  /** milliseconds since 1970, by the engine's clock; NaN before it started */
  readonly startedAt: number;
};

/** Name of the container of a job. One engine may serve several sites: ids are unique. */
export function containerName(job: string): string {
  return `planner-${job}`;
}

/** Label with the id of the job. */
export const CONTAINER_JOB_LABEL = 'net.ivoa.execution-planner.job';
/** Label with the ticket that it starts with. */
export const TICKET_LABEL = 'net.ivoa.execution-planner.ticket';

const BEFORE = new Set(['created', 'configured', 'initialized']);
const AFTER = new Set(['exited', 'dead']);

/**
 * Reads an answer to inspect. Podman and Docker have different status words; a word that means
 * neither "before" nor "after" means a run.
 */
export function readInspected(value: unknown): Inspected | undefined {
  if (!isRecord(value) || typeof value['Id'] !== 'string' || !isRecord(value['State']))
    return undefined;
  const { Status, ExitCode, OOMKilled, StartedAt } = value['State'];
  return {
    id: value['Id'],
    ticket: ticketOf(value['Config']),
    phase: phaseOf(Status),
    exit: typeof ExitCode === 'number' ? ExitCode : -1,
    oomKilled: OOMKilled === true,
    startedAt: typeof StartedAt === 'string' ? Date.parse(StartedAt) : Number.NaN,
  };
}

/** @returns undefined when the engine has no such container */
export async function inspect(api: EngineApi, job: string): Promise<Inspected | undefined> {
  try {
    const found = readInspected(
      await api.call({ method: 'GET', path: `/containers/${containerName(job)}/json` }),
    );
    if (found === undefined) throw new Error('the engine says of a container what cannot be read');
    return found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function ticketOf(config: unknown): number | undefined {
  const labels = isRecord(config) && isRecord(config['Labels']) ? config['Labels'] : {};
  const text = labels[TICKET_LABEL];
  return typeof text === 'string' ? Number(text) : undefined;
}

function phaseOf(status: unknown): Inspected['phase'] {
  if (typeof status !== 'string') return 'running';
  if (BEFORE.has(status)) return 'created';
  return AFTER.has(status) ? 'ended' : 'running';
}
