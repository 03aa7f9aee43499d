import { setTimeout } from 'node:timers/promises';
import { openSandbox } from '../../../src/sandbox/sandbox.ts';
import { memoryOf, processorTimeOf } from '../processes/process-tree.ts';
import { productionFiles } from './files.ts';
import { growingSite } from './growth.ts';
import { differentJobs } from './jobs.ts';

/*
 * How long the decision after a stopped one takes: from the answer of one to that of the other, ms.
 * Run it with `node --no-warnings test/bench/vortex/cut-off.ts`.
 */

/** A tool whose pattern never ends on a long row of the letter a. */
const ENDLESS = { name: 'endless.yml', text: 'tools:\n  (a+)+b: {}\n' };
const ROUNDS = 15;
/** Longer than rules take to load, so that each round begins at rest. */
const REST_MS = 3_000;

const sources = [...(productionFiles() ?? [growingSite(300, 1_000)]), ENDLESS];
const jobs = differentJobs(ROUNDS * 2).values();

const sandbox = openSandbox({ jit: 'never', spare: true });
const report = await sandbox.load(sources);
if (report.kind !== 'loaded')
  throw new Error(`the rules do not load: ${JSON.stringify(report).slice(0, 300)}`);
console.log(`loaded in ${report.milliseconds.toFixed(0)} ms`);
const circumstances = { seed: 1, now: 0 };
await setTimeout(REST_MS);
const pid = sandbox.pid() ?? 0;
console.log(
  `memory after the load: ${(await memoryOf(pid))?.toFixed(0)} MiB, processor time ${await processorTimeOf(pid)} ms`,
);

const waited: number[] = [];
const usual: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const job = next();
  if (job === undefined) break;
  const before = performance.now();
  await sandbox.map(job, circumstances, false);
  usual.push(performance.now() - before);
  const cut = sandbox
    .map({ ...job, tool: { ...job.tool, id: 'a'.repeat(200) } }, circumstances, false)
    .then((answer) => {
      if (answer.kind !== 'sandbox' || answer.code !== 'rule-timeout')
        throw new Error(`not cut off: ${JSON.stringify(answer)}`);
      return performance.now();
    });
  const after = sandbox.map(next() ?? job, circumstances, false).then(() => performance.now());
  waited.push((await after) - (await cut));
  await setTimeout(REST_MS);
}
console.log(`a decision, ms: ${sorted(usual)}\nbehind one that was cut off, ms: ${sorted(waited)}`);
console.log(
  `memory at the end: ${(await memoryOf(pid))?.toFixed(0)} MiB, child processes started ` +
    `again: ${sandbox.stats().respawns}`,
);
await sandbox.close();

function next(): ReturnType<typeof jobs.next>['value'] {
  return jobs.next().value;
}

function sorted(numbers: readonly number[]): string {
  return [...numbers]
    .sort((one, other) => one - other)
    .map((number) => number.toFixed(0))
    .join(' ');
}
