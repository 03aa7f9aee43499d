import { startService } from '../main.ts';
import { readSettings } from '../settings.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { bannerOf } from './banner.ts';
import { starterGone } from './starter.ts';
import { endAtSecond, stopSignal } from './stop-signal.ts';
import { withNotebooks } from './setup/demonstration-site.ts';
import { readPlain } from './words.ts';

/**
 * With a terminal, SIGHUP means that it was closed and ends the service; without one it is an
 * operator's signal to reload.
 */
const END = process.stdin.isTTY
  ? (['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  : (['SIGTERM', 'SIGINT'] as const);

/**
 * `planner serve`: runs until SIGTERM or SIGINT, then drains. SIGHUP reloads the site file and the
 * rules, or ends a service with a terminal.
 * @returns 0, or 1 if it cannot start
 */
export async function serve(words: readonly string[]): Promise<number> {
  readPlain(words, {});
  const environment = process.env;
  const reading = readSettings(environment);
  if (!reading.ok) {
    console.error(reading.problems.join('\n'));
    return 1;
  }
  const stopped = stopSignal(END);
  const started = endAtSecond(END);
  let isAsked = false;
  // Files may have changed after the start read them.
  let reload = async (): Promise<void> => void (isAsked = true);
  if (!process.stdin.isTTY) process.on('SIGHUP', () => void reload());
  try {
    const service = await startService(await withNotebooks(reading.settings), environment);
    started();
    if (service.warning !== undefined) console.error(bannerOf(service.warning));
    // Beside the log, whose lines may be JSON.
    console.error(`The console: ${reading.settings.publicUrl ?? service.url}/`);
    reload = service.reload;
    if (isAsked) void reload();
    await Promise.race([stopped, starterGone(environment)]);
    await service.stop();
    return 0;
  } catch (error) {
    console.error(error instanceof CannotStart ? error.message : error);
    return 1;
  }
}
