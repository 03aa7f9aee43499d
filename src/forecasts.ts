import type { Logger } from 'pino';
import type { Database } from './db/client.ts';
import { engineKindOf, type Engine } from './runners/engine.ts';
import { readForecasts, type Forecasts } from './schedule/forecasts.ts';

/** What engines say of their queues, read now and then, so that asks need not. */
export type FollowedForecasts = {
  readonly known: () => Forecasts;
  readonly close: () => Promise<void>;
};

const READ_MS = 5000;

/**
 * Follows what executors write down, where the site wants forecasts at all. What was
 * read last holds until its own end.
 */
export async function followForecasts(
  database: Database,
  destinations: () => Iterable<{ readonly engine: Engine }>,
  log: Logger,
): Promise<FollowedForecasts> {
  let known: Forecasts = new Map();
  const isWanted = (): boolean =>
    [...destinations()].some(
      ({ engine }) => engineKindOf(engine).forecastOf?.(engine) !== undefined,
    );
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    if (!isWanted()) return;
    reading ??= readForecasts(database)
      .then(
        (found) => void (known = found),
        (err: unknown) => log.warn({ err }, 'forecasts could not be read'),
      )
      .finally(() => {
        reading = undefined;
      });
    await reading;
  };
  await read();
  const timer = setInterval(() => void read(), READ_MS).unref();
  return {
    known: () => known,
    close: async () => {
      clearInterval(timer);
      await reading;
    },
  };
}
