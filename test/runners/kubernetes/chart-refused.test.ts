import { describe, expect, test } from '@jest/globals';
import { CONTAINER, deployment, job, manifest, release, saidOf } from './charts.ts';

describe('a chart is refused that wants', () => {
  test.each<[string, readonly unknown[], RegExp]>([
    [
      'another namespace',
      [job({ metadata: { namespace: 'kube-system' } })],
      /namespace: the namespace is the site's/,
    ],
    [
      "a name that may be another job's",
      [job({ metadata: { name: 'planner-other' } })],
      /'planner-other' does not begin with the name of the release/,
    ],
    [
      'a name that only looks like its own',
      [job({ metadata: { name: `${release}2` } })],
      /does not begin/,
    ],
    [
      'a hook',
      [job({ metadata: { annotations: { 'helm.sh/hook': 'pre-install' } } })],
      /hooks are not run here/,
    ],
    [
      'finalizers',
      [job({ metadata: { finalizers: ['a'] } })],
      /finalizers: a chart cannot say this/,
    ],
    [
      'another version of the API',
      [job({ top: { apiVersion: 'batch/v1beta1' } })],
      /batch\/v1 is expected/,
    ],
    [
      'a path of the node',
      [job({ pod: { volumes: [{ name: 'root', hostPath: { path: '/' } }] } })],
      /volumes\[0\]\.hostPath: a chart cannot say this here/,
    ],
    [
      'a claim',
      [job({ pod: { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'jobs' } }] } })],
      /persistentVolumeClaim/,
    ],
    [
      'a token',
      [
        job({
          pod: { volumes: [{ name: 'a', projected: { sources: [{ serviceAccountToken: {} }] } }] },
        }),
      ],
      /projected/,
    ],
    [
      'the volume of all jobs',
      [job({ container: { volumeMounts: [{ name: 'jobs', mountPath: '/all' }] } })],
      /directory of all jobs/,
    ],
    [
      'to take its place',
      [job({ pod: { volumes: [{ name: 'jobs', emptyDir: {} }] } })],
      /the job's own volume/,
    ],
    [
      'a secret of somebody else',
      [job({ pod: { volumes: [{ name: 'a', secret: { secretName: 'registry' } }] } })],
      /'registry' does not begin/,
    ],
    [
      'the same by a variable',
      [
        job({
          container: {
            env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'registry', key: 'k' } } }],
          },
        }),
      ],
      /'registry' does not begin/,
    ],
    [
      'the same by all variables',
      [job({ container: { envFrom: [{ secretRef: { name: 'registry' } }] } })],
      /'registry' does not begin/,
    ],
    [
      'memory for a disc',
      [job({ pod: { volumes: [{ name: 'a', emptyDir: { medium: 'Memory' } }] } })],
      /medium/,
    ],
    ['the network of the node', [job({ pod: { hostNetwork: true } })], /hostNetwork/],
    ['the processes of the node', [job({ pod: { hostPID: true } })], /hostPID/],
    [
      'a port of the node',
      [job({ container: { ports: [{ containerPort: 80, hostPort: 80 }] } })],
      /hostPort/,
    ],
    [
      'all rights',
      [job({ container: { securityContext: { privileged: true } } })],
      /no container gets such rights/,
    ],
    [
      'more rights later',
      [job({ container: { securityContext: { allowPrivilegeEscalation: true } } })],
      /no container gets such rights/,
    ],
    [
      'a capability',
      [job({ container: { securityContext: { capabilities: { add: ['SYS_ADMIN'] } } } })],
      /no container gets capabilities/,
    ],
    [
      'no profile',
      [job({ pod: { securityContext: { seccompProfile: { type: 'Unconfined' } } } })],
      /seccompProfile/,
    ],
    ['root', [job({ pod: { securityContext: { runAsUser: 0 } } })], /no pod runs as root/],
    [
      'sysctls',
      [job({ pod: { securityContext: { sysctls: [{ name: 'a', value: 'b' }] } } })],
      /sysctls/,
    ],
    [
      'the same in its initial container',
      [job({ pod: { initContainers: [{ ...CONTAINER, securityContext: { privileged: true } }] } })],
      /initContainers\[0\].*no container gets such rights/,
    ],
    ['an account', [job({ pod: { serviceAccountName: 'admin' } })], /no account of the cluster/],
    [
      'a token of its account',
      [job({ pod: { automountServiceAccountToken: true } })],
      /no account of the cluster/,
    ],
    ['another node', [job({ pod: { nodeName: 'control-plane' } })], /nodeName/],
    [
      'another priority',
      [job({ pod: { priorityClassName: 'system-node-critical' } })],
      /priorityClassName/,
    ],
    [
      'an image of elsewhere',
      [job({ container: { image: 'ghcr.io/other/x:1' } })],
      /takes no images from ghcr.io\/other\/x/,
    ],
    [
      'an image without a registry',
      [job({ container: { image: 'busybox' } })],
      /no image with its registry/,
    ],
    [
      'its node to ask another host',
      [job({ container: { livenessProbe: { httpGet: { host: '10.0.0.1', port: 80 } } } })],
      /livenessProbe\.httpGet\.host/,
    ],
    ['to begin later', [job({ spec: { suspend: true } })], /suspend/],
    [
      'the pods of others',
      [job({ spec: { manualSelector: true, selector: {} } })],
      /manualSelector/,
    ],
    [
      'to be reached from outside',
      [job(), manifest('Service', { spec: { type: 'LoadBalancer' } })],
      /ClusterIP is expected/,
    ],
    [
      'to be reached from outside by an address',
      [job(), manifest('Service', { spec: { externalIPs: ['1.2.3.4'] } })],
      /externalIPs/,
    ],
    [
      'a token by a secret',
      [job(), manifest('Secret', { type: 'kubernetes.io/service-account-token' })],
      /Opaque is expected/,
    ],
    [
      'a pod that nobody looks after',
      [job(), manifest('Pod', { spec: {} })],
      /^Pod: a chart may have/,
    ],
    ['what is no object', [job(), 'text'], /a mapping is expected/],
    [
      'more than was offered',
      [job({ container: { resources: { limits: { cpu: '2500m' } } } })],
      /takes 2500 millicores at once, and 2000 were offered/,
    ],
    [
      'more than was offered, in parts',
      [
        job({
          spec: { parallelism: 3 },
          container: { resources: { limits: { memory: '400Mi' } } },
        }),
      ],
      /takes 1200 MiB at once, and 1024 were offered/,
    ],
    [
      'more than was offered, before its container',
      [
        job({
          pod: {
            initContainers: [
              { ...CONTAINER, name: 'before', resources: { limits: { cpu: '2500m' } } },
            ],
          },
        }),
      ],
      /takes 2500 millicores at once, and 2000 were offered/,
    ],
    [
      'more than was offered, by requests',
      [job({ container: { resources: { requests: { memory: '2Gi' } } } })],
      /takes 2048 MiB/,
    ],
    [
      'a graphics processor that was not offered',
      [job({ container: { resources: { limits: { 'nvidia.com/gpu': 1 } } } })],
      /nvidia\.com\/gpu: a chart cannot say this here/,
    ],
    [
      'all of it for one of two',
      [job({ container: { resources: { limits: { cpu: 2, memory: '1Gi' } } } }), deployment()],
      /leaves nothing/,
    ],
    [
      'no amount that can be read',
      [job({ container: { resources: { limits: { cpu: 'much' } } } })],
      /this is no quantity/,
    ],
  ])('%s', (_what, documents, message) => {
    expect(saidOf(...documents)).toMatch(message);
  });
});
