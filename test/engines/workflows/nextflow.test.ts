import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { dirname } from 'node:path';
import { fetchPart, fetchResult } from '../../../src/cli/conversation.ts';
import type { WholeService } from '../../harness/whole-service.ts';
import { withEngine } from '../summary.ts';
import { serveDocuments, type Documents } from './documents.ts';
import { NEXTFLOW, nextflowMissing } from './nextflow.ts';
import { fetchRecord, sha256 } from './record.ts';
import { startWorkflowService } from './service.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/nextflow-workflow';

const MAIN = `
include { square } from './modules/square'

process add {
  publishDir '.'
  input: path numbers
  output: path 'total.txt'
  script: "cat $numbers | awk '{ sum += \\$1 } END { print sum }' > total.txt"
}

workflow { Channel.of(1..params.most) | square | collect | add }
`;

const SQUARE = `
process square {
  cpus 1
  memory '200 MB'
  input: val n
  output: path 'square-*.txt'
  script: "echo \\$(( $n * $n )) > square-${'$'}{n}.txt"
}
`;

const FAILING = `
process impossible {
  script: "echo this cannot be >&2; exit 3"
}
workflow { impossible() }
`;

const PASSING = `
process pass {
  publishDir '.'
  input: path image
  output: path image, includeInputs: true
  script: "true"
}
workflow { pass(file(params.image.path)) }
`;

withEngine('workflows of Nextflow', nextflowMissing(), () => {
  let service: WholeService;
  let documents: Documents;
  beforeAll(async () => {
    documents = await serveDocuments({
      '/flows/main.nf': MAIN,
      '/flows/modules/square.nf': SQUARE,
      '/data/image.txt': 'an image',
    });
    service = await startWorkflowService(
      { 'allow-hosts': [documents.host] },
      'nextflow-workflow',
      { nextflow: { command: [NEXTFLOW] } },
      { process: { paths: [dirname(NEXTFLOW)] } },
    );
  });
  afterAll(async () => {
    await service?.close();
    await documents?.close();
  });

  const run = (workflow: string, more: object = {}) =>
    service.run({ task: { type: TYPE, spec: { workflow, ...more } } });

  test('a script by URL with a module beside it: what it publishes is a result', async () => {
    const { job, last, summary } = await run(documents.urlOf('/flows/main.nf'), {
      inputs: { most: 4 },
      provenance: true,
    });
    expect([last, await fetchPart(job, 'error').catch(() => '')]).toEqual(['COMPLETED', '']);
    expect(await fetchResult(job, 'total.txt')).toBe('30\n');
    const found = await fetchRecord(`${job}/results/provenance.tar.gz`);
    expect(found('workflow/flows/modules/square.nf')).toBe(SQUARE);
    expect(JSON.parse(found('inputs.json'))).toEqual({ most: 4 });
    expect(found('log')).toMatch(/Version: 24\.10\.0 /);
    expect(found('results.sha256')).toBe(`${sha256('30\n')}  ./total.txt\n`);
    const [header = [], ...steps] = found('trace.tsv')
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
    const told = steps.map((step) =>
      Object.fromEntries(header.map((name, at) => [name, step[at]])),
    );
    expect(told).toHaveLength(5);
    for (const step of told)
      expect(step).toMatchObject({
        name: expect.stringMatching(/^(square \(\d\)|add)$/),
        status: 'COMPLETED',
        exit: '0',
        start: expect.stringMatching(/^\d{4}-/),
        complete: expect.stringMatching(/^\d{4}-/),
      });
    expect(summary).not.toContain('.nextflow');
  });

  test('an input that a process publishes is a result', async () => {
    const image = { class: 'File', location: documents.urlOf('/data/image.txt') };
    const { job, last } = await run(PASSING, { inputs: { image } });
    expect([last, await fetchPart(job, 'error').catch(() => '')]).toEqual(['COMPLETED', '']);
    expect(await fetchResult(job, 'image.txt')).toBe('an image');
  });

  test('the error of the job names the process that failed, and its record says how', async () => {
    const { job, last } = await run(FAILING, { provenance: true });
    expect(last).toBe('ERROR');
    const found = await fetchRecord(`${job}/results/provenance.tar.gz`);
    expect(found('trace.tsv')).toMatch(/\timpossible\tFAILED\t3\t/);
    expect(await fetchPart(job, 'error')).toMatch(
      /workflow-step-failed: the step impossible failed/,
    );
  });

  test('a script that cannot be compiled begins no step, and the error says why', async () => {
    const { job, last } = await run('workflow {\n  foo(\n');
    expect(last).toBe('ERROR');
    expect(await fetchPart(job, 'error')).toMatch(
      /workflow-invalid: Script compilation error: Unexpected input/,
    );
  });
});
