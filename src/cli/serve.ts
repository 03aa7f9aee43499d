import { startService } from '../main.ts';
import { readSettings } from '../settings.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { stopSignal } from './stop-signal.ts';

/** `planner serve`: runs until SIGTERM, SIGINT or SIGHUP, then drains. @returns 0, or 1 when it cannot start */
export const serve = async (_words: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> => {
  const reading = readSettings(environment);
  if (!reading.ok) {
    console.error(reading.problems.join('\n'));
    return 1;
  }
  const stopped = stopSignal();
  try {
    const service = await startService(reading.settings, environment);
    await stopped;
    await service.stop();
    return 0;
  } catch (error) {
    console.error(error instanceof CannotStart ? error.message : error);
    return 1;
  }
};
