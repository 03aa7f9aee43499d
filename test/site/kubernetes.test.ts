import { describe, expect, test } from '@jest/globals';
import { destinationHere } from './here.ts';

const { site, engineOf } = destinationHere('kubernetes', 'oci-container');

function problemsOf(...words: Parameters<typeof site>): readonly string[] {
  const reading = site(...words);
  return reading.ok ? [] : reading.problems.map(({ message }) => message);
}

const LEAST = { namespace: 'vo-jobs', claim: 'jobs' };

describe('a destination that is a namespace of a Kubernetes cluster', () => {
  test('needs a namespace and a claim, and uses the account of its own pod', () => {
    expect(engineOf(LEAST)).toEqual({
      runner: 'kubernetes',
      kubernetes: {
        kubeconfig: undefined,
        context: undefined,
        namespace: 'vo-jobs',
        claim: { name: 'jobs', folder: '' },
        outbound: false,
        runtimeClass: undefined,
        priorityClass: undefined,
        pullSecrets: [],
        nodeSelector: {},
        tolerations: [],
        gpus: {},
        pull: 'always',
        pullLimit: 600,
        longestWait: 3600,
        unreachableLimit: 3600,
        images: { executable: undefined, 'python-program': undefined },
        charts: undefined,
      },
    });
  });

  test('accepts every setting', () => {
    expect(
      engineOf(
        {
          ...LEAST,
          kubeconfig: 'kubeconfig',
          context: 'admin@vo',
          'claim-folder': 'planner/jobs/',
          network: 'outbound',
          'runtime-class': 'gvisor',
          'priority-class': 'low',
          'pull-secrets': ['ghcr'],
          'node-selector': { 'example.org/pool': 'vo' },
          tolerations: ['dedicated=vo:NoSchedule', 'example.org/gpu:NoExecute'],
          gpus: { 'https://example.org/gpu/a100': 'nvidia.com/gpu' },
          pull: 'missing',
          'pull-limit': 'PT1M',
          'longest-wait': 'PT2H',
          'unreachable-limit': 'PT10M',
          images: {
            executable: 'docker.io/library/busybox:1.37',
            'python-program': 'docker.io/library/python:3.13-slim',
          },
          charts: { helm: '/usr/local/bin/helm', kinds: ['Job', 'Deployment'] },
        },
        { 'task-types': ['oci-container', 'executable', 'python-program', 'helm-chart'] },
      ),
    ).toMatchObject({
      kubernetes: {
        kubeconfig: '/etc/planner/kubeconfig',
        context: 'admin@vo',
        claim: { name: 'jobs', folder: 'planner/jobs' },
        outbound: true,
        runtimeClass: 'gvisor',
        priorityClass: 'low',
        pullSecrets: ['ghcr'],
        nodeSelector: { 'example.org/pool': 'vo' },
        tolerations: [
          { key: 'dedicated', value: 'vo', effect: 'NoSchedule' },
          { key: 'example.org/gpu', value: undefined, effect: 'NoExecute' },
        ],
        gpus: { 'https://example.org/gpu/a100': 'nvidia.com/gpu' },
        pull: 'missing',
        pullLimit: 60,
        longestWait: 7200,
        unreachableLimit: 600,
        images: { executable: { registry: 'docker.io' } },
        charts: { helm: '/usr/local/bin/helm', kinds: ['Job', 'Deployment'] },
      },
    });
  });

  test.each([
    [undefined, {}, "the kubernetes runner needs 'destinations.here.kubernetes'"],
    [{ claim: 'jobs' }, {}, "destinations.here.kubernetes needs 'namespace'"],
    [{ namespace: 'a' }, {}, "destinations.here.kubernetes needs 'claim'"],
    [
      { ...LEAST, namespace: 'Not/A/Name' },
      {},
      "destinations.here.kubernetes.namespace cannot be 'Not/A/Name'",
    ],
    [
      { ...LEAST, 'claim-folder': '../other' },
      {},
      "destinations.here.kubernetes.claim-folder cannot be '../other'",
    ],
    [
      { ...LEAST, 'claim-folder': '/jobs' },
      {},
      "destinations.here.kubernetes.claim-folder cannot be '/jobs'",
    ],
    [{ ...LEAST, context: 'one' }, {}, 'destinations.here.kubernetes.context needs a kubeconfig'],
    [
      { ...LEAST, tolerations: ['anything'] },
      {},
      "destinations.here.kubernetes.tolerations cannot have 'anything'",
    ],
    [{ ...LEAST, gpus: { 'urn:x': 'no resource!' } }, {}, "cannot be 'no resource!'"],
    [
      { ...LEAST, images: { executable: 'busybox' } },
      {},
      "destinations.here.kubernetes.images.executable cannot be 'busybox'",
    ],
    [{ ...LEAST, charts: {} }, {}, "destinations.here.kubernetes.charts needs 'helm'"],
    [
      { ...LEAST, charts: { helm: '/h', kinds: ['Pod'] } },
      {},
      'destinations.here.kubernetes.charts.kinds[0]',
    ],
    [
      LEAST,
      { 'task-types': ['executable'] },
      'destinations.here takes executable, which needs destinations.here.kubernetes.images.executable',
    ],
    [
      LEAST,
      { 'task-types': ['helm-chart'] },
      'destinations.here takes helm-chart, which needs destinations.here.kubernetes.charts',
    ],
    [
      LEAST,
      { 'task-types': ['jupyter-notebook'] },
      'destinations.here: the kubernetes runner does not execute jupyter-notebook',
    ],
    [
      LEAST,
      { runner: 'process' },
      'destinations.here.kubernetes is for destinations with runner: kubernetes',
    ],
  ])('with %j and %j gets a message about the mistake', (kubernetes, more, message) => {
    expect(problemsOf(kubernetes, more)).toEqual(
      expect.arrayContaining([expect.stringContaining(message)]),
    );
  });
});
