import type { Logger } from 'pino';
import type { Database } from './db/client.ts';
import { engineKindOf, type Engine } from './runners/engine.ts';
import { readForecasts, type Forecasts } from './schedule/forecasts.ts';

/** Forecasts of engines, read regularly so that an ask does not have to read them. */
type FollowedForecasts = { readonly known: () => Forecasts; readonly close: () => Promise<void> };

const READ_MS = 5000;

/**
 * Reads the forecasts that executors write, if the site wants any. If a read fails, the last ones
 * stay valid until they expire.
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
