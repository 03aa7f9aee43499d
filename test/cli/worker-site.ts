import { createServer, type ServerResponse } from 'node:http';
import {
  firstOffer,
  followPhases,
  sendAccept,
  sendAsk,
  sendJob,
  type SeenOffer,
} from '../../src/cli/conversation.ts';
import { writeSite, type TestSite } from '../harness/site.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/python-program';

/** A host that serves programs of jobs when the test allows it. */
export type ProgramHost = {
  readonly host: string;
  /** The URL of a program; with `hold` the answer waits for `release`. */
  readonly url: (program: string, hold?: boolean) => string;
  /** The number of waiting requests. */
  readonly waiting: () => number;
  readonly release: () => void;
  readonly close: () => void;
};

export async function openProgramHost(): Promise<ProgramHost> {
  const held = new Set<() => void>();
  const server = createServer((request, response: ServerResponse) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://host');
    const answer = (): void => void response.end(searchParams.get('program'));
    if (!searchParams.has('hold')) return answer();
    held.add(answer);
    response.on('close', () => held.delete(answer));
    return undefined;
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const host = `127.0.0.1:${address.port}`;
  return {
    host,
    url: (program, hold = false) =>
      `http://${host}/?${new URLSearchParams({ program, ...(hold ? { hold: '' } : {}) })}`,
    waiting: () => held.size,
    release: () => held.forEach((answer) => answer()),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * A site with two destinations, so that an answer has alternatives. Without `room` they have room
 * for one job each, so that a reservation that is left behind is seen. /bin/sh is the interpreter of
 * its `python-program` tasks.
 */
export function writeWorkerSite(
  { host }: ProgramHost,
  room: object = { cores: 2, memory: '2GiB', scratch: '20GiB' },
): Promise<TestSite> {
  const destination = { runner: 'process', 'task-types': ['python-program'], ...room };
  return writeSite(
    {
      rules: ['rules.yml'],
      offers: { duration: 'PT2M', release: 'PT1S', lifetime: 'PT10M' },
      fetch: { 'allow-hosts': [host] },
      runners: { process: { python: '/bin/sh' } },
      destinations: { one: destination, two: destination },
    },
    { destinations: { one: { runner: 'process' }, two: { runner: 'process' } } },
  );
}

/** Asks for a run of the program at this URL. @returns the answer as it came */
export function askFor(service: string, program: string): Promise<string> {
  return sendAsk(service, JSON.stringify({ task: { type: TYPE, spec: { program } } }));
}

export async function offerFor(service: string, program: string): Promise<SeenOffer> {
  return firstOffer(await askFor(service, program));
}

/** Asks, accepts and starts. @returns URL of the job */
export async function startJob(service: string, program: string): Promise<string> {
  const offer = await offerFor(service, program);
  await sendAccept(offer);
  return sendJob(offer);
}

/** Waits until a job is in this phase. @throws Error if it went past it */
export async function untilPhase(job: string, wanted: string): Promise<void> {
  const seen: string[] = [];
  for await (const phase of followPhases(job)) {
    seen.push(phase);
    if (phase === wanted) return;
  }
  throw new Error(`${job} went through ${seen.join(', ')} and not ${wanted}`);
}
