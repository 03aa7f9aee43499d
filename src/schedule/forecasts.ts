import type { Database } from '../db/client.ts';
import { mebibytes, millicores, seconds, type Seconds } from '../words/units.ts';
import type { Amount } from './amount.ts';
import type { Instant } from './interval.ts';

/** An engine's forecast of the start of a job shape; times are the database's. */
export type Forecast = {
  readonly amount: Omit<Amount, 'scratch'>;
  readonly duration: Seconds;
  readonly startsAt: Instant;
  readonly validUntil: Instant;
};

/** Forecasts of engines by destination; absent: no forecast. */
export type Forecasts = ReadonlyMap<string, readonly Forecast[]>;

type Row = {
  readonly destination: string;
  readonly cores: number;
  readonly memory: number;
  readonly gpuType: string | null;
  readonly gpus: number;
  readonly duration: number;
  readonly startsAt: number;
  readonly validUntil: number;
};

/** Reads the last forecasts of executors, in one round trip. */
export async function readForecasts(database: Database): Promise<Forecasts> {
  const rows = await database.$queryRaw<Row[]>`
    SELECT destination_id AS destination, cores, memory_mib::float8 AS memory,
      gpu_type AS "gpuType", gpus, duration_s AS duration,
      floor(extract(epoch FROM starts_at) * 1000)::float8 AS "startsAt",
        floor(extract(epoch FROM valid_until) * 1000)::float8 AS "validUntil"
    FROM forecast WHERE valid_until > clock_timestamp() ORDER BY destination_id, place`;
  const forecasts = rows.map(
    ({ destination, cores, memory, gpuType, gpus, duration, startsAt, validUntil }) => ({
      destination,
      duration: seconds(duration),
      startsAt,
      validUntil,
      amount: {
        cores: millicores(cores),
        memory: mebibytes(memory),
        gpus: gpuType === null ? undefined : { type: gpuType, count: gpus },
      },
    }),
  );
  return Map.groupBy(forecasts, ({ destination }) => destination);
}

/** A shorter wait counts as no queue: schedulers run about this often. */
const SOON_MS = 60_000;

/**
 * The first instant at which an engine would start such a job: the earliest of the shapes that are
 * at least as large and as long, since a smaller job starts no later; without such a shape, the
 * latest of all shapes.
 *
 * @returns undefined if the engine would start it about now, or has no valid forecast
 */
export function startOf(
  forecasts: readonly Forecast[],
  asked: Omit<Amount, 'scratch'>,
  duration: Seconds,
  now: Instant,
): Instant | undefined {
  const valid = forecasts.filter(({ validUntil }) => validUntil > now);
  const covering = valid.filter((one) => covers(one, asked, duration));
  const starts = (covering.length > 0 ? covering : valid).map(({ startsAt }) => startsAt);
  if (starts.length === 0) return undefined;
  const start = covering.length > 0 ? Math.min(...starts) : Math.max(...starts);
  return start > now + SOON_MS ? start : undefined;
}

function covers(
  { amount, duration }: Forecast,
  asked: Omit<Amount, 'scratch'>,
  asks: Seconds,
): boolean {
  return (
    asked.cores <= amount.cores &&
    asked.memory <= amount.memory &&
    asks <= duration &&
    (asked.gpus === undefined ||
      (asked.gpus.type === amount.gpus?.type && asked.gpus.count <= amount.gpus.count))
  );
}
