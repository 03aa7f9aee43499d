import { describe, expect, test } from '@jest/globals';
import { printProposal } from '../../src/dialects/seed/print.ts';
import { readSeedAsk } from '../../src/dialects/seed/read.ts';
import { vocabularyOf } from '../../src/http/asks/vocabulary.ts';
import type { Ask } from '../../src/planner/ask.ts';
import { promisedStorage } from '../../src/planner/judge/storing.ts';
import { builtInKnown } from '../../src/plugins/types.ts';
import { builtInTypes } from '../../src/tasks/registry.ts';
import type { Task } from '../../src/tasks/task.ts';
import { destinationId } from '../../src/words/ids.ts';
import { mebibytes, millicores } from '../../src/words/units.ts';
import { siteOf } from '../harness/asks.ts';
import { contract } from '../harness/contract.ts';

const plain = siteOf({ a: {} });
const site = {
  ...plain,
  fetch: { ...plain.fetch, fileRoots: ['/srv/images'], registries: ['docker.io', 'ghcr.io'] },
  s3: [
    {
      endpoint: 'https://s3.example.org',
      region: 'us-east-1',
      credentials: undefined,
      buckets: undefined,
    },
  ],
};
const vocabulary = vocabularyOf(builtInKnown, site);
const TYPE = 'https://www.purl.org/ivoa-net';

function read(body: object): Ask {
  const understood = readSeedAsk(Object(body), vocabulary);
  if (!understood.ok) throw new Error(JSON.stringify(understood.refusals));
  return understood.ask;
}

/** The request of an offer for an ask, as it comes over the wire. */
function requestFor(ask: Ask): object {
  const [cores, memory] = [millicores(2000), mebibytes(2048)];
  const { request } = printProposal({
    identity: { type: 'anonymous' },
    name: undefined,
    destination: destinationId('a'),
    startsAt: 0,
    durationS: 60,
    promised: {
      taskType: ask.taskType,
      task: ask.task,
      plugin: ask.plugin,
      parts: ask.parts,
      gpus: ask.gpus,
      scratch: mebibytes(1024),
      cores: { min: cores, max: cores },
      memory: { min: memory, max: memory },
      storage: promisedStorage(ask.storage, undefined, []),
    },
  });
  return JSON.parse(JSON.stringify(request));
}

/** Specs of every built-in type. */
const SPECS: { readonly [Type in Task['type']]: readonly object[] } = {
  'jupyter-notebook': [
    { notebook: 'https://example.org/a.ipynb', parameters: { days: 3, name: 'x' } },
    { content: { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [] } },
    { notebook: 'https://example.org/a.ipynb', requirements: ['numpy', 'astropy>=6'] },
    { notebook: 'https://example.org/a.ipynb', environment: 'astro', 'check-imports': false },
  ],
  'python-program': [
    { source: 'print(1)' },
    { program: 'https://example.org/a.py', arguments: ['--all'] },
    { source: 'import numpy', requirements: '# exact\nnumpy==2.0.1\n', environment: 'astro' },
    { source: 'import mine', 'check-imports': false },
  ],
  executable: [
    { command: ['sort', '-r'], environment: { LANG: 'C' } },
    { command: ['true'] },
    { command: ['mpirun', './ring'], parallel: 'mpi' },
  ],
  'oci-container': [
    { image: 'docker.io/library/alpine:3.20' },
    { repository: 'ghcr.io', image: 'astron/tool:v1', privileged: false },
    {
      repo: 'ghcr.io',
      image: 'astron/tool',
      tag: 'v1',
      digest: `sha256:${'a'.repeat(64)}`,
      arch: 'arm64',
      entrypoint: ['run'],
      command: ['x'],
      environment: { A: '1' },
      network: 'outbound',
      parallel: 'mpi',
    },
    {
      image: 'file:///srv/images/image.tar',
      platforms: [{ architecture: 'amd64' }, { architecture: 'arm64' }],
    },
  ],
  'helm-chart': [{ chart: 'https://example.org/chart.tgz', values: { replicas: 2 } }],
  'cwl-workflow': [
    { workflow: 'https://example.org/a.cwl#main', inputs: { size: 3 }, provenance: true },
    { workflow: { cwlVersion: 'v1.2', class: 'CommandLineTool', inputs: [], outputs: [] } },
  ],
  'nextflow-workflow': [
    { workflow: 'https://example.org/main.nf', inputs: { size: 3 }, provenance: true },
  ],
  'snakemake-workflow': [
    { workflow: 'https://example.org/Snakefile', inputs: { size: 3 }, provenance: true },
    { workflow: 'rule all:\n    shell: "true"\n' },
  ],
};

describe('a printed offer can be asked for, and is the same task', () => {
  test.each(
    Object.entries(SPECS).flatMap(([type, specs]) => specs.map((spec) => [type, spec] as const)),
  )('of the type %s: %j', (type, spec) => {
    const ask = read({ task: { type: `${TYPE}/task-type/${type}`, spec } });
    expect(read(requestFor(ask)).task).toEqual(ask.task);
  });

  test.each(Object.entries(SPECS))('with every key of the type %s', (name, specs) => {
    const type = builtInTypes.all.find((one) => one.name === name);
    const parsed = type?.parse({ strange: 1 }, vocabulary.urls);
    const text = parsed?.ok === false ? parsed.problems[0].text : '';
    const known = / it knows (.+)$/.exec(text)?.[1]?.split(', ');
    expect([...new Set(specs.flatMap(Object.keys))].toSorted()).toEqual(known?.toSorted());
  });

  test('with data from elsewhere and scratch space', () => {
    const items = [
      { type: 'ephemeral', size: '3Gb' },
      { type: 'amazon-S3', endpoint: 'https://s3.example.org', bucket: 'sky', prefix: 'm31/' },
      { type: 'https', location: 'https://example.org/a.fits', size: '1Gb' },
      { type: 'rucio', endpoint: 'https://rucio.example.org', scope: 'survey', object: 'm31.fits' },
    ].map(({ type, ...more }, index) => ({
      name: `v${index}`,
      type: `${TYPE}/storage-type/${type}`,
      ...more,
    }));
    const ask = read({
      task: { type: `${TYPE}/task-type/executable`, spec: { command: ['true'] } },
      resources: {
        compute: [
          {
            volumes: items.map(({ name }) => ({
              name,
              path: name,
              mode: name === 'v0' ? 'rw' : 'r',
            })),
          },
        ],
        storage: items,
      },
    });
    expect(read(requestFor(ask)).storage).toEqual(ask.storage);
  });

  test('with every key that a compute item has in the contract', () => {
    const keys = (schema: string): readonly string[] =>
      Object.keys(Object(contract).components.schemas[schema].properties).toSorted();
    const volume = { name: 'a', path: 'data', mode: 'r' };
    const item = {
      name: 'head',
      replicas: 2,
      type: `${TYPE}/compute-type/simple-compute`,
      arch: 'amd64',
      'min-cores': 1,
      'max-cores': 1,
      'min-memory': '1Gb',
      'max-memory': '1Gb',
      gpu: { type: 'urn:gpu', count: 1 },
      volumes: [volume],
    };
    expect(Object.keys(volume).toSorted()).toEqual(keys('Volume'));
    expect(Object.keys(item).toSorted()).toEqual(keys('ComputeItem'));
    const ask = read({
      task: { type: `${TYPE}/task-type/executable`, spec: { command: ['true'] } },
      resources: {
        compute: [item],
        storage: [{ name: 'a', type: `${TYPE}/storage-type/ephemeral`, size: '3Gb' }],
      },
    });
    expect(Object(requestFor(ask)).resources.compute).toEqual([item]);
  });
});
