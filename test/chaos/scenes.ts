import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { fetchPart, sendJob, type SeenOffer } from '../../src/cli/conversation.ts';
import { until, type Ground } from '../cli/service-process.ts';
import { askFor, startJob, untilPhase, type ProgramHost } from '../cli/worker-site.ts';
import { find } from './victims.ts';

/** A service, and a way to kill a part of it during a conversation. */
export type Stage = {
  readonly service: string;
  readonly ground: Ground;
  readonly host: ProgramHost;
  /** Kills the process, restarts it if nobody else does, and waits until it works again. */
  readonly strike: () => Promise<void>;
};

/** Both destinations have room again: no ended job holds any. */
export async function expectRoom(stage: Stage): Promise<void> {
  for (const offer of await offersFor(stage, stage.host.url('true')))
    await decide(offer, 'REJECTED');
}

const LAST = new Set(['COMPLETED', 'ERROR', 'ABORTED']);

const PATIENT = 'while [ ! -e go ]; do sleep 0.05; done; echo done';

/**
 * Moments of a conversation. Each plays it, kills the victim at that moment, and continues.
 * @returns the job and its last phase
 */
export const MOMENTS = {
  'after the answer': async (stage: Stage) => {
    const [offer] = await offersFor(stage, stage.host.url('echo done'));
    if (offer === undefined) throw new Error('no offer');
    await stage.strike();
    if ((await decided(offer)) !== 200) throw new Error('an offer was forgotten');
    const job = await sendJob(offer);
    return { job, phase: await lastPhase(job) };
  },
  'while both offers are accepted by many at once': async (stage: Stage) => {
    const offers = await offersFor(stage, stage.host.url('echo done'));
    const accepts = [...offers, ...offers, ...offers].map((offer) => decide(offer, 'ACCEPTED'));
    await stage.strike();
    const early = await Promise.all(accepts);
    const verdicts: number[] = [];
    for (const offer of offers) verdicts.push(await decided(offer));
    if (verdicts.toSorted().join() !== '200,409') throw new Error(`accepted: ${verdicts.join()}`);
    const winner = verdicts.indexOf(200);
    // An earlier YES must still be true.
    if (early.some((status, index) => status === 200 && index % 2 !== winner))
      throw new Error('an accept was taken back');
    const job = await sendJob(offers[winner] ?? Object.assign({}, offers[0]));
    return { job, phase: await lastPhase(job) };
  },
  'while the job is queued': async (stage: Stage) => {
    let job = '';
    await whileStopped(stage, async () => {
      job = await startJob(stage.service, stage.host.url('echo done'));
      if ((await fetchPart(job, 'phase')) !== 'QUEUED') throw new Error('it is not queued');
      await stage.strike();
    });
    return { job, phase: await lastPhase(job) };
  },
  'while its program is fetched': async (stage: Stage) => {
    const job = await startJob(stage.service, stage.host.url('echo done', true));
    await until('the program is asked for', () => stage.host.waiting() > 0 || undefined);
    await stage.strike();
    return { job, phase: await lastPhase(job, stage.host.release) };
  },
  'while it runs': async (stage: Stage) => {
    const job = await startJob(stage.service, stage.host.url(PATIENT));
    await untilPhase(job, 'EXECUTING');
    await stage.strike();
    go(stage, job);
    return { job, phase: await lastPhase(job) };
  },
  'when it has just ended and nobody knows yet': async (stage: Stage) => {
    const job = await startJob(stage.service, stage.host.url(PATIENT));
    await untilPhase(job, 'EXECUTING');
    await whileStopped(stage, async () => {
      go(stage, job);
      await until(
        'it ended',
        () =>
          readFileSync(join(directoryOf(stage, job), 'status'), 'utf8').includes('exit 0') ||
          undefined,
      );
      await stage.strike();
    });
    return { job, phase: await lastPhase(job) };
  },
} as const;

export type Moment = keyof typeof MOMENTS;

/** Asks until the answer is YES at both destinations; a killed sandbox leads to NO. */
function offersFor({ service }: Stage, program: string): Promise<readonly SeenOffer[]> {
  return until('both destinations are offered', async () => {
    const offers = await askFor(service, program).then(offersOf, () => []);
    if (offers.length === 2) return offers;
    for (const offer of offers) await decide(offer, 'REJECTED');
    return undefined;
  });
}

/** The offers of an answer. */
function offersOf(answer: string): readonly SeenOffer[] {
  return [Object(load(answer)).response.offers ?? []].flat().map((offer) => {
    const { ident, href, connection } = Object(offer);
    return { ident, href, jobs: connection.jobs, parameters: connection.parameters };
  });
}

/** HTTP status of a decision, or `lost` if its service died before the answer. */
function decide({ href }: SeenOffer, status: 'ACCEPTED' | 'REJECTED'): Promise<number | 'lost'> {
  return fetch(href, {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: `status: ${status}`,
  }).then(
    (response) => response.status,
    () => 'lost' as const,
  );
}

/** Lets a job that runs PATIENT end; the directory of a finished one may be gone. */
function go(stage: Stage, job: string): void {
  const work = join(directoryOf(stage, job), 'work');
  if (existsSync(work)) writeFileSync(join(work, 'go'), '');
}

function directoryOf({ ground }: Stage, job: string): string {
  return join(ground.folder, 'data/jobs', job.split('/').at(-1) ?? '');
}

/** Repeats the decision until the service answers: 200 for the winner, 409 for its sibling. */
function decided(offer: SeenOffer): Promise<number> {
  return until('an accept is answered', async () => {
    const status = await decide(offer, 'ACCEPTED');
    return status === 'lost' || status >= 500 ? undefined : status;
  });
}

/** Waits for the last phase of a job, whatever is killed; calls `meanwhile` between requests. */
function lastPhase(job: string, meanwhile: () => void = () => undefined): Promise<string> {
  return until(`${job} reaches a last phase`, async () => {
    meanwhile();
    const phase = await fetchPart(job, 'phase').catch(() => '');
    return LAST.has(phase) ? phase : undefined;
  });
}

/** Does the work while the executor is stopped. */
async function whileStopped({ ground }: Stage, work: () => Promise<void>): Promise<void> {
  const pid = await find(ground, 'executor');
  process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    // It may be the process that was killed.
    if (ground.processes().some((one) => one.pid === pid)) process.kill(pid, 'SIGCONT');
  }
}
