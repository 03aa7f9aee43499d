import { setLogger } from 'node-cron';
import type { Logger } from 'pino';

/**
 * What node-cron has to say (a tick that was left out, one that came late) goes into the process's
 * log like everything else, and not as text of its own.
 */
export function logCron(log: Logger): void {
  const told =
    (level: 'warn' | 'error' | 'info' | 'debug') =>
    (message: string | Error, err?: Error): void => {
      if (message instanceof Error)
        log[level]({ cron: true, err: message }, 'a scheduled task failed');
      else log[level]({ cron: true, ...(err !== undefined && { err }) }, message);
    };
  setLogger({
    info: told('debug'),
    warn: told('warn'),
    error: told('error'),
    debug: told('debug'),
  });
}
