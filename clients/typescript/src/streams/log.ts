import { PlannerError } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { pause } from '../http/pause.ts';
import { followEvents, type StreamTerms } from './stream.ts';

export type LogTerms = StreamTerms & {
  /** the job has not begun to write the log; @returns false if it never will */
  readonly mayCome?: (() => boolean | Promise<boolean>) | undefined;
};

const AGAIN_MS = 1000;

/**
 * The text of a log as it comes, to the end of its job, with carriage returns as they are written.
 *
 * @param place the address of the log
 * @throws PlannerError as `followEvents`
 */
export async function* followLog(
  connection: Pick<Connection, 'open'>,
  place: string,
  { mayCome = () => true, ...terms }: LogTerms = {},
): AsyncGenerator<string, void> {
  for (;;) {
    try {
      // JSON has carriage returns, which progress bars need and lines of events cannot have.
      for await (const { event, data } of followEvents(connection, `${place}?EVENTS=json`, terms)) {
        if (event === 'end') return;
        yield String(JSON.parse(data));
      }
      return;
    } catch (error) {
      if (!isAbsence(error)) throw error;
      if (!(await mayCome())) return;
      await pause(AGAIN_MS, terms.signal);
    }
  }
}

/** The lines of a text that may come cut anywhere, without their ends. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  // Pieces, since a progress bar is one long line, which would be copied with each of them.
  let rest: string[] = [];
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    rest.push(first);
    for (const line of others) {
      yield rest.join('').replace(/\r$/, '');
      rest = [line];
    }
  }
  const last = rest.join('');
  if (last !== '') yield last;
}

/** There is no log of that name, or nothing in it. */
function isAbsence(error: unknown): boolean {
  return error instanceof PlannerError && (error.status === 404 || error.status === 204);
}
