import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchPart, fetchResult } from '../../../src/cli/conversation.ts';
import type { WholeService } from '../../harness/whole-service.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { CWLTOOL, startWorkflowService } from './service.ts';

/** Two tiles of 60 × 60 pixels with the values 2 and 4, of which 20 × 60 pixels overlap. */
const TILES = `
import numpy
from astropy.io import fits
for name, value, x in (('a', 2, 0), ('b', 4, 40)):
    image = fits.PrimaryHDU(numpy.full((60, 60), value, dtype='float32'))
    image.header['OFFSET1'], image.header['OFFSET2'] = x, 0
    image.writeto(name + '.fits')
`;

const missing = needs('cwltool', 'bubblewrap', 'python3-astropy', 'python3-numpy');

withEngine('the mosaic of docs/examples, by the service and cwltool', missing, () => {
  let service: WholeService;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-mosaic-'));
    await chmod(folder, 0o755);
    const made = spawnSync('/usr/bin/python3', ['-c', TILES], { cwd: folder });
    if (made.status !== 0) throw new Error(String(made.stderr));
    service = await startWorkflowService(
      { 'file-roots': [folder, resolve('docs/examples')] },
      'cwl-workflow',
      CWLTOOL,
    );
  });
  afterAll(async () => {
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const tiles = () =>
    ['a', 'b'].map((name) => ({ class: 'File', location: `file://${folder}/${name}.fits` }));

  test('is made of tiles, with at least the cores and the memory of its largest step', async () => {
    const workflow = `file://${resolve('docs/examples/mosaic.cwl')}`;
    const told = await service.run({
      task: {
        type: 'https://www.purl.org/ivoa-net/task-type/cwl-workflow',
        spec: { workflow, inputs: { tiles: tiles() } },
      },
    });
    const said = told.last === 'COMPLETED' ? '' : await fetchPart(told.job, 'error');
    expect([told.last, said]).toEqual(['COMPLETED', '']);
    expect(told.answer).toMatch(/min-cores: 2\b/);
    // 100 × 60 pixels, of which 40 × 60 are 2, 20 × 60 are 3, and 40 × 60 are 4.
    expect(JSON.parse(await fetchResult(told.job, 'summary.json'))).toEqual({
      pixels: 6000,
      mean: 3,
    });
    const { mosaic } = JSON.parse(await fetchResult(told.job, 'output'));
    expect(mosaic).toMatchObject({ location: 'mosaic.fits', class: 'File' });
  });

  test('is refused with less, and a tile that is missing ends the job', async () => {
    const workflow = await readFile(resolve('docs/examples/mosaic.cwl'), 'utf8');
    const document = (resources: object, location: string): object => ({
      task: {
        type: 'https://www.purl.org/ivoa-net/task-type/cwl-workflow',
        spec: { workflow, inputs: { tiles: [{ class: 'File', location }] } },
      },
      resources,
    });
    const little = { compute: [{ 'min-cores': 1, 'max-cores': 1 }] };
    expect(await service.ask(document(little, `file://${folder}/a.fits`))).toMatch(
      /below-workflow-minimum[^]*The step add needs it/,
    );
    const { job, last } = await service.run(document({}, `file://${folder}/none.fits`));
    expect([last, await fetchPart(job, 'error')]).toEqual([
      'ERROR',
      expect.stringContaining('fetch-failed'),
    ]);
  });
});
