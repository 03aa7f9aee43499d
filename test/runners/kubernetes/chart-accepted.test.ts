import { describe, expect, test } from '@jest/globals';
import { police } from '../../../src/runners/kubernetes/chart/police.ts';
import { schemaProblem } from '../../engines/kubernetes/schemas.ts';
import {
  CONTAINER,
  deployment,
  job,
  manifest,
  release,
  saidOf,
  chartTerms,
  chartWork,
} from './charts.ts';

describe('a chart is accepted', () => {
  test('with the empty values that charts leave behind', () => {
    expect(
      saidOf(
        job({
          pod: {
            nodeSelector: {},
            affinity: {},
            tolerations: [],
            serviceAccountName: '',
            hostNetwork: false,
            imagePullSecrets: [],
            securityContext: {},
          },
          container: { securityContext: null, resources: {} },
        }),
      ),
    ).toBe('accepted');
  });

  test("with rights that it drops, and users that the job's own replaces", () => {
    const [made] = police(
      [
        job({
          pod: { securityContext: { runAsUser: 1001, fsGroup: 1001, runAsNonRoot: true } },
          container: {
            securityContext: { readOnlyRootFilesystem: false, capabilities: { drop: ['ALL'] } },
          },
        }),
      ],
      chartTerms,
    );
    expect(made).toMatchObject({
      spec: {
        template: {
          spec: {
            securityContext: { runAsUser: 61_200 },
            automountServiceAccountToken: false,
            containers: [{ securityContext: { readOnlyRootFilesystem: true } }],
          },
        },
      },
    });
  });

  test('in a list', () => {
    expect(
      police(
        [
          {
            apiVersion: 'v1',
            kind: 'List',
            items: [job(), manifest('ConfigMap', { data: { a: 'b' } })],
          },
        ],
        chartTerms,
      ).map(({ kind }) => kind),
    ).toEqual(['ConfigMap', 'Job']);
  });

  test('and every object is valid by the published schemas, labelled, and adds up to the offer', () => {
    const mounted = {
      volumes: [
        { name: 'c', configMap: { name: `${release}-x` } },
        { name: 's', secret: { secretName: `${release}-s`, defaultMode: 256 } },
        { name: 'e', emptyDir: {} },
      ],
      initContainers: [{ ...CONTAINER, name: 'init' }],
    };
    const made = police(
      [
        job({
          pod: mounted,
          spec: {
            parallelism: 2,
            completions: 4,
            completionMode: 'Indexed',
            backoffLimit: 3,
            activeDeadlineSeconds: 1e6,
          },
          container: {
            volumeMounts: [{ name: 'c', mountPath: '/c' }],
            env: [{ name: 'A', value: 'b' }],
            ports: [{ containerPort: 80 }],
          },
        }),
        deployment({ replicas: 2 }),
        manifest('Service', {
          spec: {
            clusterIP: 'None',
            ports: [{ port: 80, targetPort: 'http' }],
            selector: { a: 'b' },
          },
        }),
        manifest('ConfigMap', { data: { a: 'b' } }),
        manifest('Secret', { stringData: { a: 'b' }, type: 'Opaque' }),
      ],
      chartTerms,
    );
    expect(made.map(({ kind }) => kind)).toEqual([
      'ConfigMap',
      'Secret',
      'Service',
      'Deployment',
      'Job',
    ]);
    for (const one of made) {
      expect(schemaProblem(one)).toBeUndefined();
      expect(one.metadata).toMatchObject({
        namespace: 'vo-jobs',
        labels: { 'execution-planner.ivoa.net/job': chartWork.job },
      });
    }
    // Four containers at once: two pods for the Job, two for the Deployment. What runs before the
    // container of the Job has its pod for itself.
    const share = { resources: { limits: { cpu: '500m', memory: '256Mi' } } };
    expect(made[4]).toMatchObject({
      spec: {
        backoffLimit: 3,
        template: {
          metadata: { labels: { 'execution-planner.ivoa.net/job': chartWork.job } },
          spec: { initContainers: [share], containers: [share] },
        },
      },
    });
    expect(made[3]).toMatchObject({
      spec: {
        selector: { matchLabels: { 'execution-planner.ivoa.net/job': chartWork.job } },
        template: { spec: { containers: [share] } },
      },
    });
    expect(made[2]).toMatchObject({
      spec: { selector: { 'execution-planner.ivoa.net/job': chartWork.job } },
    });
  });

  test('which takes the whole offer twice, before and in its container', () => {
    const all = { resources: { limits: { cpu: 2, memory: '1Gi' } } };
    const [made] = police(
      [
        job({
          container: all,
          pod: {
            initContainers: [
              { ...CONTAINER, name: 'all', ...all },
              { ...CONTAINER, name: 'rest' },
            ],
          },
        }),
      ],
      chartTerms,
    );
    const whole = { resources: { limits: { cpu: '2000m', memory: '1024Mi' } } };
    expect(made).toMatchObject({
      spec: { template: { spec: { initContainers: [whole, whole], containers: [whole] } } },
    });
  });

  test('and its duration is that of the offer and not its own', () => {
    const [made] = police(
      [job({ spec: { activeDeadlineSeconds: 1_000_000, ttlSecondsAfterFinished: 1 } })],
      chartTerms,
    );
    expect(made).toMatchObject({
      spec: { activeDeadlineSeconds: 60 + 60 + 60 + 60, ttlSecondsAfterFinished: 604_800 },
    });
  });
});
