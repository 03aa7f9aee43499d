import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';
import { type JobRequest, type UwsCall, type UwsDeps, visibleJob } from '../call.ts';
import { preferredType } from '../read/accept.ts';
import { invalidParameter, readCount, single } from '../read/control.ts';
import { openEvents, type EventData } from './events.ts';
import { follow, openPlain, type Course } from './follow.ts';
import { holdWhile } from './hold.ts';
import type { Job } from '../job.ts';
import { drained } from '../list.ts';
import { isActive, phaseOf } from '../phases.ts';
import { hasMachineList } from '../../runners/machines/machine-list.ts';
import { logPath } from '../../words/run-id.ts';
import { mendRange } from '../print/range.ts';
import { findResult, isPlainFile, sendResult, UNTRUSTED, unknownResult } from '../print/results.ts';
import { openPatience } from './patience.ts';

/**
 * One answer follows a log for at most an hour and 64 MiB; the client then resumes where it
 * stopped.
 */
const LONGEST_S = 3600;
const MOST_BYTES = 64 * 1024 * 1024;
const FOLLOWS = { perOwner: 100, perAddress: 20 };
/** A comment every 15 s keeps proxies from closing a silent connection. */
const ALIVE_MS = 15_000;

const EVENTS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };
const LOG = { 'Content-Type': 'text/plain; charset=utf-8', 'Accept-Ranges': 'bytes' };

type Following = Course & { readonly latest: () => Job };

/**
 * Sends the results of a job, and its stdout and stderr while it runs: the log as it grows until
 * the job ends, the present bytes for a Range, or server-sent events for a client that accepts
 * them.
 *
 * @throws Problem `result-unknown` (404).
 */
export function openResults(deps: UwsDeps) {
  const quota = openPatience(FOLLOWS);
  const wantsEvents = (req: JobRequest): boolean =>
    preferredType(req, ['text/plain', 'text/event-stream']) === 'text/event-stream';

  const sendLive = async (
    job: Job,
    call: UwsCall,
    log: string,
    req: JobRequest,
    res: Response,
  ): Promise<void> => {
    const path = join(deps.resultsRoot, job.id, log);
    const from = placeOf(req);
    res.set(UNTRUSTED);
    const asEvents = wantsEvents(req);
    const kind = dataKindOf(call);
    if (req.method === 'HEAD') return void res.set(asEvents ? EVENTS : LOG).end();
    if (!asEvents && (await sendPart(req, res, path))) return;
    const isOneMore = quota.enter(call);
    // A client above its limit gets only what is there now.
    const course = isOneMore
      ? courseOf(deps, call, job, res)
      : { isOver: () => true, over: Promise.resolve(), latest: () => job };
    try {
      await (asEvents ? sendEvents(res, path, from, course, kind) : sendStream(res, path, course));
    } finally {
      if (isOneMore) quota.leave(call);
    }
  };

  return async (
    job: Job,
    call: UwsCall,
    id: string,
    req: JobRequest,
    res: Response,
  ): Promise<void> => {
    const result = findResult(job, id);
    const log = logPath(id);
    if (result === undefined) {
      const phase = phaseOf(job);
      if (
        log === undefined ||
        (phase !== 'QUEUED' && phase !== 'EXECUTING') ||
        !(await isWritten(deps, job, log))
      )
        throw unknownResult(job, id);
      return sendLive(job, call, log, req, res);
    }
    if (log === undefined || !wantsEvents(req)) return sendResult(res, deps.resultsRoot, job, id);
    if (!(await isPlainFile(deps.resultsRoot, job.id, result.path))) throw unknownResult(job, id);
    const from = placeOf(req);
    const kind = dataKindOf(call);
    // 204 tells an EventSource to stop.
    if (from > Number(result.size)) return void res.status(204).end();
    res.set(UNTRUSTED);
    return sendEvents(
      res,
      join(deps.resultsRoot, job.id, result.path),
      from,
      courseOf(deps, call, job, res),
      kind,
    );
  };
}

function placeOf(req: JobRequest): number {
  const id = req.get('last-event-id');
  if (id === undefined || id === '') return 0;
  const place = readCount(id);
  if (place === undefined)
    throw invalidParameter('Last-Event-ID', id, 'the id of an event of this log');
  return place;
}

/** @throws Problem `parameter-invalid` (400). */
function dataKindOf({ parameters }: UwsCall): EventData {
  const wanted = single(parameters, 'EVENTS') ?? 'text';
  if (wanted === 'text' || wanted === 'json') return wanted;
  throw invalidParameter('EVENTS', wanted, 'text or json');
}

/**
 * Sends a range of the present bytes. The total length is not known yet (RFC 9110 § 14.4).
 * @returns false when the request has no usable Range.
 */
async function sendPart(req: JobRequest, res: Response, path: string): Promise<boolean> {
  if (req.get('range') === undefined || req.get('if-range') !== undefined) return false;
  const file = await openPlain(path);
  try {
    const size = (await file?.stat())?.size ?? 0;
    mendRange(req, size);
    const ranges = req.range(size);
    const [range, ...more] = Array.isArray(ranges) && ranges.type === 'bytes' ? ranges : [];
    if (ranges !== -1 && (range === undefined || more.length > 0)) return false;
    if (file === undefined || range === undefined) {
      res.status(416).set('Content-Range', `bytes */${size}`).end();
      return true;
    }
    const { start, end } = range;
    res
      .status(206)
      .set({
        ...LOG,
        'Content-Range': `bytes ${start}-${end}/*`,
        'Content-Length': `${end - start + 1}`,
      });
    // A client that leaves before the end is not an error of the service.
    await pipeline(file.createReadStream({ start, end, autoClose: false }), res).catch(
      () => undefined,
    );
    return true;
  } finally {
    await file?.close();
  }
}

/**
 * Follows a job's log until the job or the credential ends, the client leaves, the service stops or
 * an hour has passed.
 */
function courseOf(
  { database, waiters }: UwsDeps,
  call: UwsCall,
  job: Job,
  res: Response,
): Following {
  let latest = job;
  let done = !isActive(phaseOf(job));
  const longest = Math.min(LONGEST_S, call.secondsLeft);
  const read = async (): Promise<Job> => (latest = await visibleJob(database, call, job.id));
  const over = (
    done
      ? Promise.resolve()
      : holdWhile(waiters, job.id, res, longest, read, (now) => isActive(phaseOf(now)))
  )
    // An error means that the job was destroyed, so nothing follows.
    .catch(() => undefined)
    .then(() => (done = true));
  return { isOver: () => done, over, latest: () => latest };
}

async function sendEvents(
  res: Response,
  path: string,
  from: number,
  course: Following,
  kind: EventData,
): Promise<void> {
  res.set(EVENTS).flushHeaders();
  const events = openEvents(from, kind);
  const alive = setInterval(() => res.write(': \n\n'), ALIVE_MS);
  try {
    for await (const bytes of follow(path, from, MOST_BYTES, course)) {
      if (res.destroyed) return;
      await write(res, events.data(bytes));
    }
    const phase = phaseOf(course.latest());
    // Without an `end` event, the client asks again from its last offset.
    res.end(isActive(phase) ? '' : events.end(phase));
  } finally {
    clearInterval(alive);
  }
}

async function write(res: Response, text: string | Buffer): Promise<void> {
  if (text.length > 0 && !res.write(text)) await drained(res);
}

async function sendStream(res: Response, path: string, course: Following): Promise<void> {
  res.set({ ...LOG, 'X-Accel-Buffering': 'no' }).flushHeaders();
  for await (const bytes of follow(path, 0, MOST_BYTES, course)) {
    if (res.destroyed) return;
    await write(res, bytes);
  }
  res.end();
}

/**
 * Whether an active job writes this log, now or later: a job with several machines has logs for
 * each machine only.
 */
async function isWritten({ resultsRoot }: UwsDeps, { id }: Job, log: string): Promise<boolean> {
  const path = join(resultsRoot, id, log);
  return dirname(log) === '.'
    ? !(await hasMachineList(resultsRoot, id))
    : (await lstat(dirname(path)).catch(() => undefined))?.isDirectory() === true;
}
