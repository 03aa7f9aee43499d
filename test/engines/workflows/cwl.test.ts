import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchPart, fetchResult } from '../../../src/cli/conversation.ts';
import { processDestination } from '../../harness/site.ts';
import type { WholeService } from '../../harness/whole-service.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { serveDocuments, type Documents } from './documents.ts';
import { FAILING, MOSAIC, TOOLS } from './mosaic.ts';
import { programOfPypi } from './of-pypi.ts';
import { checksumOf, researchObject, sha1 } from './research-object.ts';
import { CWLTOOL, startWorkflowService } from './service.ts';

const cwltool = needs('python3-venv') === undefined ? programOfPypi('cwltool') : undefined;
const TYPE = 'https://www.purl.org/ivoa-net/task-type/cwl-workflow';

withEngine('workflows in CWL, by the service and cwltool', needs('cwltool', 'bubblewrap'), () => {
  let service: WholeService;
  let documents: Documents;
  beforeAll(async () => {
    documents = await serveDocuments({
      '/mosaic/mosaic.cwl': MOSAIC,
      '/mosaic/failing.cwl': FAILING,
      ...TOOLS,
      '/data/a.txt': 'Vega\nAltair\n',
      '/data/b.txt': 'Deneb\n',
    });
    service = await startWorkflowService(
      { 'allow-hosts': [documents.host] },
      'cwl-workflow',
      CWLTOOL,
      {},
      cwltool === undefined ? {} : { pypi: destinationOf(cwltool) },
    );
  });
  afterAll(async () => {
    await service?.close();
    await documents?.close();
  });

  const inputs = () => ({
    parts: [
      { class: 'File', location: documents.urlOf('/data/a.txt') },
      { class: 'File', location: documents.urlOf('/data/b.txt') },
    ],
    most: 2,
  });
  const ask = (spec: object, resources: object = {}) => ({ task: { type: TYPE, spec }, resources });

  test('a workflow of three steps by URL: its outputs and its files are results', async () => {
    const told = await service.run(
      ask({ workflow: documents.urlOf('/mosaic/mosaic.cwl'), inputs: inputs() }),
    );
    const said = told.last === 'COMPLETED' ? '' : await fetchPart(told.job, 'error');
    expect([told.last, said]).toEqual(['COMPLETED', '']);
    const output = JSON.parse(await fetchResult(told.job, 'output'));
    expect(output).toMatchObject({
      mosaic: { class: 'File', location: 'mosaic.txt', basename: 'mosaic.txt', size: 13 },
    });
    expect(await fetchResult(told.job, output.mosaic.location)).toBe('Altair\nDeneb\n');
    expect(JSON.stringify(output)).not.toContain(service.folder);
    expect(await fetchResult(told.job, 'stderr')).toMatch(/\[step sort\] completed success/);
  });

  test('a step that fails is named in the error of the job', async () => {
    const told = await service.run(
      ask({ workflow: documents.urlOf('/mosaic/failing.cwl'), inputs: inputs() }),
    );
    expect(told.last).toBe('ERROR');
    expect(await fetchPart(told.job, 'error')).toMatch(
      /workflow-step-failed: the step sort failed/,
    );
  });

  test("Debian's cwltool records no provenance, which ends the job before its first step", async () => {
    const spec = { workflow: documents.urlOf('/mosaic/mosaic.cwl'), inputs: inputs() };
    const told = await service.run(ask({ ...spec, provenance: true }, OF_DEBIAN));
    expect(told.last).toBe('ERROR');
    expect(await fetchPart(told.job, 'error')).toMatch(
      /workflow-invalid: the interpreter of this destination records no provenance/,
    );
    expect(await fetchResult(told.job, 'stderr')).not.toContain('[step ');
  });

  withEngine(
    'provenance of CWL, by the cwltool of PyPI',
    cwltool === undefined ? 'cwltool cannot be installed from PyPI' : undefined,
    () => {
      test('is a research object: the workflow, its inputs and outputs, and what each step did', async () => {
        const spec = { workflow: documents.urlOf('/mosaic/mosaic.cwl'), inputs: inputs() };
        const { job, last } = await service.run(ask({ ...spec, provenance: true }, OF_PYPI));
        const said = last === 'COMPLETED' ? '' : await fetchPart(job, 'error');
        expect([last, said]).toEqual(['COMPLETED', '']);
        const { mosaic } = JSON.parse(await fetchResult(job, 'output'));
        const found = await researchObject(`${job}/results/provenance.tar.gz`);
        // The bag holds what its list of checksums says.
        expect(found.listed.length).toBeGreaterThan(3);
        expect(found.listed.map(({ path }) => sha1(found.read(path)))).toEqual(
          found.listed.map(({ checksum }) => checksum),
        );
        const stars = ['Vega\nAltair\n', 'Deneb\n'].map(checksumOf);
        expect(found.json('workflow/primary-job.json')).toMatchObject({
          parts: stars.map((checksum) => ({ class: 'File', checksum })),
          most: 2,
        });
        const result = checksumOf('Altair\nDeneb\n');
        expect(mosaic.checksum).toBe(result);
        expect(found.json('workflow/primary-output.json')).toMatchObject({
          mosaic: { class: 'File', checksum: result },
        });
        expect(found.read('workflow/packed.cwl').toString()).toMatch(/main\/sort/);
        const history = found.json('metadata/provenance/primary.cwlprov.json');
        expect(JSON.stringify(history.entity)).toContain(`data:${result.replace('sha1$', '')}`);
        const made = JSON.stringify(history.wasGeneratedBy);
        for (const role of ['join/joined', 'sort/sorted', 'cut/cut', 'primary/mosaic'])
          expect(made).toContain(`wf:main/${role}`);
      });
    },
  );
});

/** The destinations have different amounts, so that an ask can mean one of them. */
const OF_DEBIAN = { compute: [{ 'min-memory': '4Gb' }] };
const OF_PYPI = { compute: [{ 'min-cores': 5 }] };

function destinationOf(program: string): object {
  return processDestination({
    cores: 8,
    memory: '2GiB',
    'task-types': ['cwl-workflow'],
    workflows: { cwl: { command: [program, '--no-container'], versions: ['v1.2'] } },
  });
}
