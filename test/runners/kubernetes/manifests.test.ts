import { describe, expect, test } from '@jest/globals';
import { jobManifest, type PodProgram } from '../../../src/runners/kubernetes/manifests/job.ts';
import {
  machineService,
  networkPolicy,
} from '../../../src/runners/kubernetes/manifests/network.ts';
import { literalVariable } from '../../../src/runners/kubernetes/manifests/pod.ts';
import { parseQuantity } from '../../../src/runners/kubernetes/manifests/quantity.ts';
import type { KubernetesSettings } from '../../../src/runners/kubernetes/settings.ts';
import { directoryOf } from '../../../src/runners/run/directory.ts';
import { imageOf, settingsOf } from '../../engines/kubernetes/cluster.ts';
import { expand } from '../../engines/kubernetes/node.ts';
import { schemaProblem } from '../../engines/kubernetes/schemas.ts';
import { fieldsOf, listOf } from '../../engines/kubernetes/store.ts';
import { mebibytes, millicores } from '../../../src/words/units.ts';
import { workload } from '../workloads.ts';

const work = {
  ...workload(
    { type: 'executable', command: ['x'], environment: {} },
    {
      cores: 0.5,
      memory: 100,
      volumes: [
        { name: 'data', path: '/data', mode: 'r' },
        { name: 'b', path: 'x/y', mode: 'rw' },
      ],
    },
  ),
  gpus: { type: 'urn:gpu', count: 1 },
};
const place = directoryOf('/jobs', work.job);
const plain: PodProgram = {
  image: imageOf('ghcr.io/a/b:1'),
  architectures: [],
  entrypoint: undefined,
  command: undefined,
  environment: {},
  outbound: false,
  output: 'log',
};

function make(program: Partial<PodProgram> = {}, settings: Partial<KubernetesSettings> = {}) {
  return jobManifest(work, place, { ...plain, ...program }, settingsOf('/kubeconfig', settings), {
    uid: 61_200,
    gid: 61_201,
  });
}

function containerOf(manifest: object) {
  return listOf(podOf(manifest)['containers'])[0] ?? {};
}

function podOf(manifest: object) {
  return fieldsOf(fieldsOf(fieldsOf(fieldsOf(manifest)['spec'])['template'])['spec']);
}

describe('every manifest is valid by the published schemas:', () => {
  test.each<[string, Partial<PodProgram>, Partial<KubernetesSettings>]>([
    ['as it is', {}, {}],
    ['with a command', { entrypoint: ['a'], command: ['b', ''], environment: { A: 'b' } }, {}],
    ['with its output in files', { entrypoint: ['a'], output: 'files' }, {}],
    ['with several machines', { entrypoint: ['a'], output: 'files', machines: 3 }, {}],
    ['for an architecture', { architectures: ['amd64', 'arm64'] }, {}],
    [
      'with all that a site can say',
      {},
      {
        runtimeClass: 'gvisor',
        priorityClass: 'low',
        pullSecrets: ['one'],
        nodeSelector: { 'a/b': 'c' },
        tolerations: [
          { key: 'k', value: undefined, effect: 'NoSchedule' },
          { key: 'k', value: 'v', effect: 'NoExecute' },
        ],
        gpus: { 'urn:gpu': 'example.org/gpu' },
        pull: 'always',
        claim: { name: 'c', folder: '' },
      },
    ],
  ])('a Job %s', (_what, program, settings) => {
    expect(schemaProblem(make(program, settings))).toBeUndefined();
  });

  test.each([
    [false, false],
    [true, false],
    [false, true],
  ])('a NetworkPolicy (outbound %s, among %s)', (outbound, among) => {
    expect(schemaProblem(networkPolicy(work.job, 'ns', { outbound, among }))).toBeUndefined();
  });

  test('a NetworkPolicy without the Internet, whose pods ask names of the cluster alone', () => {
    const egress = (outbound: boolean) => {
      const { spec } = networkPolicy(work.job, 'ns', { outbound, among: true });
      return JSON.stringify(fieldsOf(spec)['egress']);
    };
    expect(egress(false)).not.toMatch(/"0\.0\.0\.0\/0"|"::\/0"|\{"ports"/);
    expect(egress(false)).toContain('{"to":[{"namespaceSelector":{}},{"ipBlock":{"cidr":');
    expect(egress(true)).toContain('{"ports":[{"port":53');
  });

  test('a Service', () => {
    expect(schemaProblem(machineService(work.job, 'ns'))).toBeUndefined();
  });

  test('the schemas refuse a wrong one', () => {
    const manifest = make();
    expect(
      schemaProblem({ ...manifest, spec: { ...fieldsOf(manifest['spec']), backoffLimit: 'none' } }),
    ).toContain('backoffLimit');
    expect(schemaProblem({ ...manifest, spec: {} })).toContain('template');
  });
});

describe('a pod', () => {
  test('requests what is kept for its job, and is limited to what the job may use', () => {
    const { limits } = work;
    const wide = {
      ...work,
      limits: {
        ...limits,
        cores: millicores(16_000),
        memory: mebibytes(32_768),
        guaranteed: { cores: millicores(8000), memory: mebibytes(16_384) },
      },
    };
    const resources = (one: typeof work) =>
      fieldsOf(
        containerOf(
          jobManifest(one, place, plain, settingsOf('/kubeconfig', {}), {
            uid: 61_200,
            gid: 61_201,
          }),
        )['resources'],
      );
    const [requests, most] = [
      fieldsOf(resources(wide)['requests']),
      fieldsOf(resources(wide)['limits']),
    ];
    expect(
      [requests['cpu'], requests['memory'], most['cpu'], most['memory']].map((one) =>
        parseQuantity(one),
      ),
    ).toEqual([8, 16 * 2 ** 30, 16, 32 * 2 ** 30]);
    expect(requests['ephemeral-storage']).toBe(most['ephemeral-storage']);
    expect(resources(work)['requests']).toEqual(resources(work)['limits']);
  });

  test('meets the pod security standard "restricted", and has no credentials of the cluster', () => {
    expect(podOf(make())).toMatchObject({
      automountServiceAccountToken: false,
      restartPolicy: 'Never',
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 61_200,
        runAsGroup: 61_201,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            privileged: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
    for (const key of ['hostNetwork', 'hostPID', 'hostIPC', 'hostUsers', 'serviceAccountName'])
      expect(podOf(make())).not.toHaveProperty(key);
    expect(podOf(make())['volumes']).toEqual([
      { name: 'jobs', persistentVolumeClaim: { claimName: 'jobs' } },
    ]);
  });

  test('mounts only its own directories of the claim, outer ones before inner ones', () => {
    const mounts = listOf(
      containerOf(make({}, { claim: { name: 'c', folder: 'a/b' } }))['volumeMounts'],
    );
    expect(
      mounts.map(({ mountPath, subPath, readOnly }) => [mountPath, subPath, readOnly]),
    ).toEqual([
      ['/job', `a/b/${work.job}/work`, false],
      ['/tmp', `a/b/${work.job}/tmp`, false],
      ['/task', `a/b/${work.job}/task`, true],
      ['/data', `a/b/${work.job}/volumes/data`, true],
      ['/var/tmp', `a/b/${work.job}/tmp`, false],
      ['/job/x/y', `a/b/${work.job}/work/x/y`, false],
    ]);
  });

  test('pulls an image again unless a digest names it', () => {
    const digest = imageOf(`ghcr.io/a/b@sha256:${'0'.repeat(64)}`);
    expect(containerOf(make({}, { pull: 'always' }))).toMatchObject({
      image: 'ghcr.io/a/b:1',
      imagePullPolicy: 'Always',
    });
    expect(containerOf(make({ image: digest }, { pull: 'always' }))).toMatchObject({
      image: `ghcr.io/a/b@sha256:${'0'.repeat(64)}`,
      imagePullPolicy: 'IfNotPresent',
    });
  });

  test('has variables of ours that a client cannot replace', () => {
    const env = listOf(
      containerOf(make({ environment: { PLANNER_JOB_ID: 'forged', MINE: '$(HOME)' } }))['env'],
    );
    expect(env.filter(({ name }) => name === 'PLANNER_JOB_ID' || name === 'MINE')).toEqual([
      { name: 'PLANNER_JOB_ID', value: work.job },
      { name: 'MINE', value: '$$(HOME)' },
    ]);
  });
});

test.each(['', '$', '$$', '$(A)', '$$(A)', '$($(A))', 'a$', '${A}', '$(', '100%$'])(
  'the word %j arrives as it is, whatever Kubernetes would expand in it',
  (word) => {
    expect(expand(literalVariable(word), new Map([['A', 'replaced']]))).toBe(word);
  },
);

test.each([
  ['1', 1],
  ['0.5', 0.5],
  ['500m', 0.5],
  ['.5', 0.5],
  ['1k', 1000],
  ['1Ki', 1024],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['1e3', 1000],
  ['2E', 2e18],
  [3, 3],
  ['', undefined],
  ['1 Gi', undefined],
  ['-1', undefined],
  ['1gi', undefined],
  [null, undefined],
  ['0x10', undefined],
])('the quantity %j is %p', (text, value) => {
  expect(parseQuantity(text)).toBe(value);
});
