import { JOB_LABEL, objectName, type Manifest } from './manifest.ts';

/** Networks of the cluster, the site or the cloud; everything else is the Internet. */
const PRIVATE = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/3',
];
const PRIVATE_6 = ['::/127', 'fc00::/7', 'fe80::/10', 'ff00::/8'];

/** Who may have names: pods of the cluster, and the addresses of its services and nodes. */
const RESOLVERS = [
  { namespaceSelector: {} },
  ...[...PRIVATE, ...PRIVATE_6].map((cidr) => ({ ipBlock: { cidr } })),
];

const DNS = [
  { port: 53, protocol: 'UDP' },
  { port: 53, protocol: 'TCP' },
];

/**
 * What the pods of a job may reach, and who may reach them. They reach nothing, unless the job
 * asked for the Internet and the site grants it; the pods of one chart reach each other. The
 * cluster's network plug-in must enforce policies.
 */
export function networkPolicy(
  job: string,
  namespace: string,
  { outbound, among }: { readonly outbound: boolean; readonly among: boolean },
): Manifest {
  const labels = { [JOB_LABEL]: job };
  const own = [{ podSelector: { matchLabels: labels } }];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: objectName(job), namespace, labels },
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ['Ingress', 'Egress'],
      ingress: among ? [{ from: own }] : [],
      egress: [
        ...(among ? [{ to: own }] : []),
        ...(among && !outbound ? [{ to: RESOLVERS, ports: DNS }] : []),
        ...(outbound ? [{ ports: DNS }] : []),
        ...(outbound
          ? [
              {
                to: [
                  { ipBlock: { cidr: '0.0.0.0/0', except: PRIVATE } },
                  { ipBlock: { cidr: '::/0', except: PRIVATE_6 } },
                ],
              },
            ]
          : []),
      ],
    },
  };
}

/** The Service by which the pods of a parallel job have names: `planner-<job>-0.planner-<job>`. */
export function machineService(job: string, namespace: string): Manifest {
  const labels = { [JOB_LABEL]: job };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: objectName(job), namespace, labels },
    // A name is there before the pod says that it is ready.
    spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: labels },
  };
}
