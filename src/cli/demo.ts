import { join, resolve } from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { startService } from '../main.ts';
import { readSettings, type Settings } from '../settings.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { bannerOf } from './banner.ts';
import { withNotebooks } from './setup/demonstration-site.ts';
import { endAtSecond, stopSignal, STOP_SIGNALS } from './stop-signal.ts';
import { readPlain } from './words.ts';
import {
  fetchPart,
  fetchResult,
  firstOffer,
  followPhases,
  sendAccept,
  sendAsk,
  sendJob,
  UnexpectedAnswer,
} from './conversation.ts';

const NUMPY = `task:
  type: "https://www.purl.org/ivoa-net/task-type/jupyter-notebook"
  spec:
    content:
      nbformat: 4
      nbformat_minor: 5
      metadata: {}
      cells:
      - cell_type: code
        metadata: {}
        source: |
          import numpy
          print("The mean of 1, 2 and 6 is", numpy.mean([1, 2, 6]))
`;
const NOTEBOOK = fileURLToPath(new URL('../../docs/examples/square-root.ipynb', import.meta.url));

/**
 * `planner demo`: the whole conversation with a service that it starts.
 * @returns 0 if the job completed
 */
export async function demo(words: readonly string[]): Promise<number> {
  readPlain(words, {});
  const environment = process.env;
  const own = {
    ...environment,
    DATA_DIR: join(environment['DATA_DIR'] ?? '.data', 'demo'),
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    PORT: '0',
    SITE_FILE: undefined,
    DATABASE_URL: undefined,
    JOBS_DIR: undefined,
    PUBLIC_URL: undefined,
  };
  const reading = readSettings(own);
  if (!reading.ok) {
    console.error(reading.problems.join('\n'));
    return 1;
  }
  try {
    const dataDirectory = resolve(environment['DATA_DIR'] ?? '.data');
    const settings = await withNotebooks(reading.settings, dataDirectory);
    const completed = await demonstrate(settings, own);
    console.log(
      `\n${completed ? 'Done.' : 'The job did not complete.'} \`npm start\` runs the ` +
        'service and names its page for browsers; the API page is at /docs.',
    );
    return completed ? 0 : 1;
  } catch (error) {
    const isPlain = error instanceof CannotStart || error instanceof UnexpectedAnswer;
    console.error(isPlain ? error.message : error);
    return 1;
  }
}

/** Starts a service and talks to it. @returns false if the job did not complete */
async function demonstrate(settings: Settings, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const stopped = stopSignal();
  const started = endAtSecond(STOP_SIGNALS);
  console.log('ExecutionPlanner demonstration: starting the service with its own PostgreSQL …');
  const begun = performance.now();
  const service = await startService(settings, environment);
  started();
  if (service.warning !== undefined) console.error(bannerOf(service.warning));
  console.log(
    `It answers at ${service.url} after ${((performance.now() - begun) / 1000).toFixed(1)} s.`,
  );
  const conversation = converse(service.url);
  try {
    return await Promise.race([conversation, stopped.then(() => false)]);
  } finally {
    // The end of the service ends the conversation's requests, too.
    conversation.catch(() => undefined);
    await service.stop();
  }
}

async function converse(base: string): Promise<boolean> {
  heading('1. The question: can you run this notebook, and when?');
  const asked = question(pathToFileURL(NOTEBOOK).href);
  console.log(`   POST ${base}/request\n`);
  console.log(indented(asked));

  heading('2. The answer: YES, with offers that are held until they expire');
  const answer = await sendAsk(base, asked);
  console.log(indented(answer));

  const job = await acceptFirst(answer, 3);
  if (job === undefined) return false;
  heading('5. The results');
  for (const [, id, href] of (await fetchPart(job, 'results')).matchAll(
    /<uws:result id="([^"]+)"[^>]*xlink:href="([^"]+)"/g,
  )) {
    console.log(`   ${(id ?? '').padEnd(10)} ${href}`);
  }
  console.log('\n   What the notebook printed:\n');
  console.log(indented(printedBy(await fetchResult(job, 'notebook'))));
  return askForNumpy(base);
}

/** Asks for a package that not every Python has. @returns false if its job did not complete */
async function askForNumpy(base: string): Promise<boolean> {
  heading('6. Another question: can you run a notebook that imports numpy?');
  console.log(indented(NUMPY));
  const answer = await sendAsk(base, NUMPY);
  if (!/result: '?YES/.test(answer)) {
    console.log(indented(answer));
    console.log(
      '\n   NO: no Python here has numpy. `planner setup notebooks` (npm run planner -- setup notebooks)' +
        '\n   makes one that has it, and this answer becomes YES.',
    );
    return true;
  }
  const [, environment = ''] = /^ *environment: (\S+)/m.exec(answer) ?? [];
  console.log(`\n   The answer is YES, in the environment '${environment}'.`);
  const job = await acceptFirst(answer, 7);
  if (job === undefined) return false;
  console.log('\n   What the notebook printed:\n');
  console.log(indented(printedBy(await fetchResult(job, 'notebook'))));
  return true;
}

/**
 * Accepts the first offer and follows its job.
 *
 * @param step number of the first of the two steps
 * @returns the job's URL, if it completed
 */
async function acceptFirst(answer: string, step: number): Promise<string | undefined> {
  const offer = firstOffer(answer);
  heading(`${step}. The first offer is accepted; the others are cancelled`);
  console.log(`   POST ${offer.href}\n   offer: { status: ACCEPTED }\n`);
  const status = /status: (\w+)/.exec(await sendAccept(offer))?.[1];
  console.log(`   The offer is now ${status}.`);

  heading(`${step + 1}. The job is followed at its UWS 1.1 endpoint`);
  console.log(`   POST ${offer.jobs}   ${new URLSearchParams(offer.parameters)}`);
  const job = await sendJob(offer);
  console.log(`   303 → ${job}\n`);
  const begun = performance.now();
  let last = '';
  for await (const phase of followPhases(job)) {
    console.log(`   ${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s  ${phase}`);
    last = phase;
  }
  if (last !== 'COMPLETED') {
    console.log(indented(await fetchPart(job, 'error')));
    return undefined;
  }
  return job;
}

function heading(text: string): void {
  console.log(`\n── ${text} ${'─'.repeat(Math.max(0, 76 - text.length))}`);
}

/** The question of the specification, level 1: can this platform execute this Jupyter notebook? */
function question(notebook: string): string {
  return `task:
  type: "https://www.purl.org/ivoa-net/task-type/jupyter-notebook"
  spec:
    notebook: "${notebook}"
`;
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '   ');
}

/** What the cells printed: stream outputs and plain-text results of the executed notebook. */
function printedBy(notebook: string): string {
  const cells: unknown[] = JSON.parse(notebook).cells;
  const outputs = cells.flatMap((cell): unknown[] => Object(cell).outputs ?? []);
  return outputs
    .map((output) => {
      const { text, data } = Object(output);
      return [text ?? data?.['text/plain'] ?? []].flat().join('');
    })
    .join('\n');
}
