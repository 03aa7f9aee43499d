import { writeSync } from 'node:fs';
import { pino, type DestinationStream, type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from './settings.ts';

/** Fields that a person does not need. */
const LEFT_OUT = 'pid,hostname';

/**
 * Bytes that are kept while standard output cannot be written (the disc of a log file is full).
 * Further lines are lost.
 */
const MOST_KEPT = 2 ** 20;

/**
 * The log of a process, on standard output: lines for people where that is a terminal, JSON
 * everywhere else, unless the settings say which.
 */
export function openLog(
  name: string,
  { logLevel: level, logFormat }: Pick<Settings, 'logLevel' | 'logFormat'>,
): Logger {
  const format = logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json');
  if (format === 'json') return pino({ name, level }, openOutput());
  return pino(
    { name, level },
    pretty({
      destination: openOutput(),
      ignore: LEFT_OUT,
      translateTime: 'SYS:HH:MM:ss',
      singleLine: true,
      sync: true,
    }),
  );
}

/**
 * Standard output. Lines that cannot be written are kept and written with a later one; standard
 * error says so once.
 */
function openOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: MOST_KEPT });
  let isTold = false;
  output.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (isTold || code === 'EPIPE') return;
    isTold = true;
    try {
      writeSync(
        2,
        `the log cannot be written to standard output: ${message}; the service goes on ` +
          'without it until there is room\n',
      );
    } catch {}
  });
  return output;
}
