import type { Response } from 'express';

const LOOK_MS = 5000;

/**
 * Ends what a client still follows some seconds after its credential ends: event streams, logs and
 * waits. A download, whose length was announced, goes on to its end.
 *
 * @param isGood does the sign-in go on, is the password still good?
 */
export function endWithCredential(response: Response, isGood: () => Promise<boolean>): void {
  const look = async (): Promise<void> => {
    const isDownload = response.headersSent && response.hasHeader('Content-Length');
    // Without the database nobody knows; the next look does.
    if (!isDownload && !(await isGood().catch(() => true))) response.destroy();
  };
  // Most requests are over before the first look.
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  response.once('close', () => clearInterval(timer));
}
