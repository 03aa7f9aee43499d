import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchPart, fetchResult } from '../../../src/cli/conversation.ts';
import type { WholeService } from '../../harness/whole-service.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { serveDocuments, type Documents } from './documents.ts';
import { BESIDE, CYCLE, EMPTY_HANDED, FAILING, SUM } from './snakefiles.ts';
import { fetchRecord, sha256 } from './record.ts';
import { startWorkflowService } from './service.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/snakemake-workflow';

withEngine('workflows of Snakemake', needs('snakemake', 'bubblewrap'), () => {
  let service: WholeService;
  let documents: Documents;
  beforeAll(async () => {
    documents = await serveDocuments({
      '/flows/sum/Snakefile': SUM,
      '/data/notes.txt': 'squares\n',
      ...BESIDE,
    });
    service = await startWorkflowService(
      { 'allow-hosts': [documents.host] },
      'snakemake-workflow',
      { snakemake: { command: ['snakemake'], versions: ['7.21'] } },
    );
  });
  afterAll(async () => {
    await service?.close();
    await documents?.close();
  });

  const ask = (workflow: string, more: object = {}) => ({
    task: { type: TYPE, spec: { workflow, ...more } },
  });
  const errorOf = async (workflow: string): Promise<readonly [string | undefined, string]> => {
    const { last, job } = await service.run(ask(workflow));
    return [last, await fetchPart(job, 'error')];
  };

  test('a Snakefile by URL, with a file of rules and a script beside it: its files are results', async () => {
    const { job, last, summary } = await service.run(
      ask(documents.urlOf('/flows/sum/Snakefile'), {
        inputs: { most: 4, notes: { class: 'File', location: documents.urlOf('/data/notes.txt') } },
        provenance: true,
      }),
    );
    expect([last, await fetchPart(job, 'error').catch(() => '')]).toEqual(['COMPLETED', '']);
    expect(await fetchResult(job, 'total.txt')).toBe('30\n');
    expect(await fetchResult(job, 'squares_3.txt')).toBe('9\n');
    expect(summary).not.toMatch(/\.snakemake|\.cache/);
    const found = await fetchRecord(`${job}/results/provenance.tar.gz`);
    expect(found('workflow/flows/sum/rules/square.smk')).toBe(
      BESIDE['/flows/sum/rules/square.smk'],
    );
    expect(JSON.parse(found('inputs.json'))).toMatchObject({ most: 4, notes: { class: 'File' } });
    expect(found('inputs.sha256')).toBe(`${sha256('squares\n')}  inputs/0/notes.txt\n`);
    expect(found('version.txt')).toMatch(/^7\.\d+\.\d+\n$/);
    expect(found('results.sha256')).toContain(`${sha256('30\n')}  ./total.txt\n`);
    expect(found('summary.tsv')).toMatch(
      /^squares\/3\.txt\t.*\tsquare\t.*echo \$\(\( 3 \* 3 \)\)/m,
    );
    const { starttime, endtime, rule, input } = JSON.parse(
      found(`metadata/${Buffer.from('total.txt').toString('base64')}`),
    );
    expect([rule, input.length]).toEqual(['add', 5]);
    expect(endtime).toBeGreaterThan(starttime);
    expect(found('log')).toMatch(/rule square:[^]*7 of 7 steps/);
  });

  test('the error of the job names the rule that failed, and its record says how', async () => {
    const { last, job } = await service.run(ask(FAILING, { provenance: true }));
    expect(last).toBe('ERROR');
    const error = await fetchPart(job, 'error');
    const found = await fetchRecord(`${job}/results/provenance.tar.gz`);
    expect(found('results.sha256')).toBe(`${sha256('begun\n')}  ./begin.txt\n`);
    expect(found('log')).toMatch(/Error in rule go_on:[^]*non-zero exit code/);
    expect(error).toMatch(/workflow-step-failed: the step go_on failed/);
    expect(error).toContain('this cannot be');
  });

  test('the error of the job names the rule that did not make its output', async () => {
    const { last, job } = await service.run(ask(EMPTY_HANDED));
    expect(last).toBe('ERROR');
    expect(await fetchPart(job, 'error')).toMatch(/workflow-step-failed: the step forget failed/);
  });

  test.each([
    ['a cycle', CYCLE, /workflow-invalid: CyclicGraphException in rule (hen|egg): Cyclic/],
    ['a fault of Python', 'rule all:\n    input: nothing\n', /workflow-invalid: NameError: /],
    ['a fault of its own', 'rule all:\n    input "a"\n', /workflow-invalid: SyntaxError: /],
    ['no way to a file', 'rule all:\n    input: "a"\n', /workflow-invalid: MissingInputExc/],
  ])('a workflow with %s begins no step, and the error says why', async (_what, text, why) => {
    const [last, error] = await errorOf(text);
    expect(last).toBe('ERROR');
    expect(error).toMatch(why);
  });
});
