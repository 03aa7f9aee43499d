import { setLogger } from 'node-cron';
import type { Logger } from 'pino';

/**
 * Sends the messages of node-cron (a tick that was skipped or late) to the process's log instead of
 * the console.
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
