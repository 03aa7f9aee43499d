import { join } from 'node:path';
import { printInstant } from '../../words/iso8601.ts';
import { parseRunId, type RunId } from '../../words/run-id.ts';
import type { Advance, RunSlot } from '../port.ts';
import { environmentOfCommands, command } from './command.ts';
import { jobName } from '../batch/begin.ts';
import { BatchRefusal } from '../batch/system.ts';
import type { SlurmAccess, SlurmSettings } from './settings.ts';

const RESERVATION = /^ReservationName=vo-([0-9a-f-]{36,43}) /gm;

/** Reads the jobs of ours in what `scontrol --oneliner show reservation` prints. */
export function parseReservations(text: string): readonly RunId[] {
  return [...text.matchAll(RESERVATION)].flatMap(([, id = '']) => parseRunId(id) ?? []);
}

/**
 * Advance reservations by scontrol, for which the service must be an operator of the cluster.
 *
 * @param user who may use them: the one that jobs run as
 */
export function advanceReservations(
  { partition }: SlurmSettings,
  { conf, bin }: Extract<SlurmAccess, { transport: 'cli' }>,
  user: string,
): Advance {
  const scontrol = async (words: readonly string[]): Promise<string> =>
    (
      await command({
        program: bin === undefined ? 'scontrol' : join(bin, 'scontrol'),
        words,
        environment: environmentOfCommands(conf),
      })
    ).stdout;
  return {
    list: async () => parseReservations(await scontrol(['--oneliner', 'show', 'reservation'])),
    make: async (slot) => {
      try {
        await scontrol(wordsOf(slot, partition, user, Date.now()));
        return undefined;
      } catch (error) {
        if (error instanceof BatchRefusal) return error.message;
        throw error;
      }
    },
    drop: async (job) => {
      await scontrol(['delete', `ReservationName=${jobName(job)}`]).catch((error: unknown) => {
        if (error instanceof BatchRefusal && /reservation is invalid/i.test(error.message)) return;
        throw error;
      });
    },
  };
}

/** Words of scontrol that keep a slot's cores free; memory cannot be reserved. */
function wordsOf(
  { job, cores, machines, startsAt, endsAt }: RunSlot,
  partition: string,
  user: string,
  now: number,
): readonly string[] {
  return [
    'create',
    'reservation',
    `reservationname=${jobName(job)}`,
    `users=${user}`,
    `partitionname=${partition}`,
    `nodecnt=${machines}`,
    `corecnt=${machines * Math.ceil(cores / machines / 1000)}`,
    startsAt > now ? `starttime=${toSeconds(startsAt)}` : 'starttime=now',
    `duration=${Math.max(1, Math.ceil((endsAt - Math.max(startsAt, now)) / 60_000))}`,
    // FLEX lets a job run in the reservation that is sent a second late, or whose whole minutes end
    // after it.
    'flags=FLEX',
  ];
}

function toSeconds(at: number): string {
  return printInstant(at).slice(0, 19);
}
