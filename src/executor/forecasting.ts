import { engineKindOf, type ForecastTerms } from '../runners/engine.ts';
import { claimRound, type RoundParts } from './round-claim.ts';

/** A forecast outlives one failed round and no more. */
const ROUNDS_VALID = 2.5;
/** A planner has it this much later: it reads that often (src/forecasts.ts). */
const READ_S = 5;

/**
 * Does one round: asks the engines that the site wants forecasts of, when it is time. One of all
 * executors asks each engine. When an engine does not answer, its last forecasts stay until they
 * are too old.
 */
export async function forecastRound(parts: RoundParts): Promise<void> {
  for (const [destination, { engine }] of parts.destinations) {
    const terms = engineKindOf(engine).forecastOf?.(engine);
    if (terms === undefined) continue;
    if (!(await claimRound(parts.database, `forecast ${destination}`, terms.every))) continue;
    await ask(parts, destination, terms).catch((error: unknown) =>
      parts.log.warn({ err: error, destination }, 'the engine gave no forecast'),
    );
  }
}

/** Asks an engine about every shape, one after the other. */
async function ask(
  { database, runners, log }: RoundParts,
  destination: string,
  { every, shapes }: ForecastTerms,
): Promise<void> {
  const predict = runners.byDestination.get(destination)?.predict;
  if (predict === undefined) return;
  const rows: object[] = [];
  for (const { cores, memory, duration, gpus } of shapes) {
    const asked = Date.now();
    const start = await predict({ cores, memory, duration, gpus });
    if (start !== undefined)
      rows.push({
        cores,
        memory,
        gpuType: gpus?.type,
        gpus: gpus?.count,
        duration,
        wait: Math.max(0, start - asked),
      });
  }
  await database.$executeRaw`
    SELECT write_forecasts(${destination}, ${JSON.stringify(rows)}::jsonb,
      make_interval(secs => ${every * ROUNDS_VALID + READ_S}))`;
  log.debug({ destination, forecasts: rows }, 'forecasts written');
}
