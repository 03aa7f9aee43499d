import type { Request, Response } from 'express';
import { ownerOf, secondsLeft } from '../../identity/principal.ts';
import type { PrintableOffer } from '../../planner/dialect.ts';
import { SESSION_TRANSITIONS, type SessionState } from '../../planner/states.ts';
import { holdWhile } from '../../uws/live/hold.ts';
import { openPatience, type Patience } from '../../uws/live/patience.ts';
import type { Waiters } from '../../uws/live/waiters.ts';
import { queryText, readCount, readParameters, singleAs } from '../../uws/read/control.ts';
import { principalOf } from '../identified.ts';

export type WaitTerms = {
  readonly waiters: Waiters;
  /** longest wait, seconds */
  readonly waitCapS: number;
  /** most requests that wait at the same time; the service answers one more at once */
  readonly waits: Patience;
};

/** How long a client waits that does not say it, and until when. */
export type UsualWait = {
  readonly seconds: number;
  readonly isAwaited: (session: PrintableOffer) => boolean;
};

/**
 * Reads a session when its phase has changed, or the client has waited long enough.
 *
 * @param usual without it, a client that says nothing does not wait
 */
export type SessionWait = (
  request: Request,
  response: Response,
  read: () => Promise<PrintableOffer>,
  usual?: UsualWait,
) => Promise<PrintableOffer>;

/** `wait=60` among the preferences of RFC 7240; others are not for this service. */
const PREFERRED = /(?:^|[,;\s])wait\s*=\s*"?(\d+)"?/i;

/** How often to look at an offer: nobody tells of one that is rejected or expires. */
const LOOK_S = 1;

/**
 * Holds the answer to a client that waits: with `WAIT=60` as at the job list, or with
 * `Prefer: wait=60` (RFC 7240). HEAD does not wait.
 */
export function openSessionWait({ waiters, waitCapS, waits }: WaitTerms): SessionWait {
  const quota = openPatience(waits);
  return async (request, response, read, usual) => {
    const wanted = secondsOf(request, waitCapS);
    const session = await read();
    const principal = principalOf(request);
    const longest = Math.min(
      wanted ?? usual?.seconds ?? 0,
      secondsWorth(session),
      secondsLeft(principal, Date.now()),
    );
    const waiting = { owner: ownerOf(principal), req: request };
    if (longest <= 0 || request.method === 'HEAD' || !quota.enter(waiting)) return session;
    if (wanted !== undefined && request.query['WAIT'] === undefined)
      response.set('Preference-Applied', `wait=${wanted}`);
    try {
      const stays = (latest: PrintableOffer): boolean =>
        usual === undefined ? latest.state === session.state : !usual.isAwaited(latest);
      const step = session.state === 'OFFERED' ? LOOK_S : Infinity;
      const isGone = (): boolean => response.closed || waiters.released.aborted;
      let latest = session;
      for (let left = longest; left > 0 && stays(latest) && !isGone(); left -= step)
        latest = await holdWhile(waiters, session.id, response, Math.min(left, step), read, stays);
      return latest;
    } finally {
      quota.leave(waiting);
    }
  };
}

/** Has the session ended for good? */
export function isOver(state: SessionState): boolean {
  return SESSION_TRANSITIONS[state].length === 0;
}

/** @throws Problem `parameter-invalid` (400) for WAIT; a preference that is none has no effect */
function secondsOf(request: Request, capS: number): number | undefined {
  const query = readParameters(queryText(request.url));
  const said = singleAs(query, 'WAIT', 'a whole number of seconds above 0, or -1', (text) =>
    text === '-1' ? capS : readCount(text) || undefined,
  );
  const [, preferred] = PREFERRED.exec(request.get('prefer') ?? '') ?? [];
  const seconds = said ?? (preferred === undefined ? undefined : readCount(preferred));
  return seconds === undefined ? undefined : Math.min(seconds, capS);
}

/** How long the phase can last. */
function secondsWorth({ state, secondsLeft }: PrintableOffer): number {
  if (state === 'OFFERED') return secondsLeft + 1;
  return isOver(state) ? 0 : Infinity;
}
