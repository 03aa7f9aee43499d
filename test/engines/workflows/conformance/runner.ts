/**
 * A runner of CWL for cwltest: `runner [--outdir=DIR] [--quiet] DOCUMENT [INPUTS]`. It asks a service,
 * accepts the first offer, follows the job, and prints the output object.
 */
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  fetchPart,
  fetchResult,
  firstOffer,
  followPhases,
  sendAccept,
  sendAsk,
  sendJob,
} from '../../../../src/cli/conversation.ts';
import { readInputFile, urlOf, type Served } from './inputs.ts';
import { fetchOutputs } from './outputs.ts';

const UNSUPPORTED = 33;
const TYPE = 'https://www.purl.org/ivoa-net/task-type/cwl-workflow';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { outdir: { type: 'string', default: '.' }, quiet: { type: 'boolean' } },
});
const [written = '', inputs] = positionals;
const served: Served = { folder: named('CWL_FOLDER'), url: named('CWL_URL') };
process.exitCode = await run(named('CWL_SERVICE'), resolve(values.outdir));

async function run(service: string, outdir: string): Promise<number> {
  const [path = '', fragment] = written.split('#');
  const document = localPath(path);
  const url = urlOf(served, document);
  const spec = {
    workflow: fragment === undefined ? url : `${url}#${fragment}`,
    inputs: inputs === undefined ? {} : readInputFile(served, localPath(inputs), document),
  };
  const answer = await sendAsk(service, JSON.stringify({ task: { type: TYPE, spec } }));
  if (/result: ["']?NO/.test(answer)) {
    process.stderr.write(answer);
    return 1;
  }
  const offer = firstOffer(answer);
  await sendAccept(offer);
  const job = await sendJob(offer);
  let last = '';
  for await (const phase of followPhases(job)) last = phase;
  if (last !== 'COMPLETED') {
    const error = await fetchPart(job, 'error');
    process.stderr.write(`${error}\n${await fetchResult(job, 'stderr').catch(() => '')}`);
    return error.includes(`exit code ${UNSUPPORTED}`) ? UNSUPPORTED : 1;
  }
  await mkdir(outdir, { recursive: true });
  const outputs = `${JSON.stringify(await fetchOutputs(job, outdir), undefined, 2)}\n`;
  process.stdout.write(outputs);
  return 0;
}

/** cwltest names files by their URLs. */
function localPath(text: string): string {
  return text.startsWith('file:') ? fileURLToPath(text) : resolve(text);
}

function named(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
