import { closuresOf } from '../site/maintenance.ts';
import type { Site } from '../site/site.ts';

/** What maintenance takes of a destination for a time; amounts as the database keeps them. */
export type Away = {
  readonly destination: string; readonly startsAt: string; readonly endsAt: string;
  readonly cores: number; readonly memory: number; readonly scratch: number;
};

/** More than the clocks of two machines part; the database compares the times with its own. */
const MARGIN_MS = 3_600_000;

const iso = (at: number): string => new Date(at).toISOString();

/** All maintenance that a job which is begun now could run into, for `begin_job` in prisma/migrations. */
export const awayFrom = ({ destinations, offers: { longest } }: Pick<Site, 'destinations' | 'offers'>, now: number): readonly Away[] =>
  [...destinations].flatMap(([destination, { capacity, maintenance, release }]) =>
    closuresOf(maintenance, { start: now - MARGIN_MS, end: now + (longest + release) * 1000 + MARGIN_MS }).map(({ during, takes }) => {
      const { cores, memory, scratch } = takes === 'all' ? capacity : takes;
      return { destination, startsAt: iso(during.start), endsAt: iso(during.end), cores, memory, scratch };
    }));
