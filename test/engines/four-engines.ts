import { dirname, resolve } from 'node:path';
import type { NonEmpty } from '../../src/words/ids.ts';
import { openContainerEngine, PACKAGES } from './container/container.ts';
import { NEXTFLOW_IMAGE, NEXTFLOW_THERE, WORKFLOW_IMAGE } from './container/workflow-image.ts';
import { IMAGE, PYTHON_IMAGE } from './container/images.ts';
import type { Form } from './four-tasks.ts';
import { gridEngineMissing, startGridCluster } from './grid-engine/cluster.ts';
import { JUPYTER_PYTHON, jupyterMissing } from './jupyter.ts';
import { NAMESPACE } from './kubernetes/api-server.ts';
import { startTestCluster } from './kubernetes/cluster.ts';
import { IMAGE as NODE_IMAGE } from './kubernetes/node.ts';
import { openRealCluster, realClusterMissing } from './kubernetes/real.ts';
import { needs, type Missing } from './packages.ts';
import { JOB_USER, slurmMissing, startCluster } from './slurm/slurm.ts';
import { NEXTFLOW, nextflowMissing } from './workflows/nextflow.ts';

/** A running engine for the four tasks. */
export type Started = {
  /** the folder of plug-ins, if the engine is one */
  readonly plugins?: string;
  /** its destination in the site file, without amounts and task types */
  readonly destination: object;
  /** more of the site's `fetch` */
  readonly fetch?: object;
  readonly image?: string;
  /** the jobs directory, if the engine needs a certain one */
  readonly jobsDirectory?: string;
  /** folders that disappear with it, and names of its cgroups */
  readonly folders: readonly string[];
  readonly marks: readonly string[];
  readonly close: () => Promise<void>;
};

/** An engine for the four tasks. `forms`: what it executes; the first form of a task is used. */
export type FourEngine = {
  readonly name: string;
  readonly missing: () => Missing;
  readonly forms: readonly Form[];
  readonly start: () => Promise<Started>;
};

/** The protocol of Kubernetes without a cluster: docs/guides/runners/kubernetes.md. */
const kubernetes: FourEngine = {
  name: 'kubernetes (the small API server of the tests)',
  missing: () => needs('bubblewrap', 'openssl'),
  forms: ['executable', 'python-program'],
  start: async () => {
    const { folder, kubeconfig, jobsRoot, close } = await startTestCluster();
    const destination = {
      runner: 'kubernetes',
      kubernetes: {
        kubeconfig,
        namespace: NAMESPACE,
        claim: 'jobs',
        'claim-folder': 'jobs',
        pull: 'missing',
        images: { executable: NODE_IMAGE, 'python-program': NODE_IMAGE },
      },
    };
    return {
      destination,
      fetch: { registries: ['registry.test'] },
      jobsDirectory: jobsRoot,
      folders: [folder],
      marks: [],
      close,
    };
  },
};

const realKubernetes: FourEngine = {
  name: 'kubernetes (a real cluster)',
  missing: realClusterMissing,
  forms: ['executable', 'python-program'],
  start: async () => {
    const { kubeconfig, namespace, claim, image, pythonImage, urls, jobsRoot, close } =
      await openRealCluster();
    const images = { executable: image, 'python-program': pythonImage };
    const destination = {
      runner: 'kubernetes',
      kubernetes: {
        kubeconfig,
        namespace,
        claim: claim.name,
        'claim-folder': claim.folder,
        pull: 'missing',
        images,
      },
    };
    return {
      destination,
      fetch: { registries: urls.registries },
      jobsDirectory: jobsRoot,
      folders: [jobsRoot],
      marks: [],
      close,
    };
  },
};

/** Interpreters of workflows in Debian's packages. */
const CWL = { command: ['cwltool', '--no-container'], versions: ['v1.2'] };
const NEXTFLOW_HERE = { nextflow: { command: [NEXTFLOW] } };
const WORKFLOWS = { cwl: CWL, snakemake: { command: ['snakemake'], versions: ['7.21'] } };

/** The engine of a plug-in. */
const gridEngine: FourEngine = {
  name: 'grid-engine (a plug-in)',
  missing: () => gridEngineMissing() ?? needs('cwltool'),
  forms: ['executable', 'python-program', 'cwl-workflow'],
  start: async () => {
    const { folder, settings, close } = await startGridCluster();
    return {
      plugins: resolve('docs/examples/plugins'),
      destination: { runner: 'grid-engine', 'grid-engine': settings, workflows: { cwl: CWL } },
      folders: [folder],
      marks: [folder],
      close,
    };
  },
};

/** The engines of each runner: real ones, or what speaks their protocol. */
const ENGINES: Readonly<Record<string, NonEmpty<FourEngine>>> = {
  process: [
    {
      name: 'process',
      missing: () => needs('python3', 'cwltool', 'snakemake'),
      forms: ['executable', 'python-program', 'cwl-workflow', 'snakemake-workflow'],
      start: ofMachine({ runner: 'process', workflows: WORKFLOWS }),
    },
    withNextflow(
      'process',
      () => undefined,
      ofMachine({
        runner: 'process',
        process: { paths: [dirname(NEXTFLOW)] },
        workflows: NEXTFLOW_HERE,
      }),
    ),
  ],
  notebook: [
    {
      name: 'notebook (built-in)',
      missing: () => undefined,
      forms: ['jupyter-notebook'],
      start: ofMachine({ runner: 'notebook' }),
    },
    {
      name: 'notebook (jupyter)',
      missing: jupyterMissing,
      forms: ['jupyter-notebook'],
      start: ofMachine({ runner: 'notebook', notebook: { jupyter: JUPYTER_PYTHON } }),
    },
  ],
  container: [
    containers('podman'),
    containers('docker'),
    withNextflow('podman', () => needs(...PACKAGES.podman), nextflowInImage),
  ],
  slurm: [
    slurm('commands'),
    slurm('slurmrestd'),
    withNextflow('slurm', slurmMissing, nextflowInSlurm),
  ],
  'grid-engine': [gridEngine],
  kubernetes: [kubernetes, realKubernetes],
};

/** All engines. A task of which an engine executes no form is refused there, which is tested too. */
export const FOUR_ENGINES: readonly FourEngine[] = Object.values(ENGINES).flat();

function slurm(transport: 'commands' | 'slurmrestd'): FourEngine {
  return {
    name: `slurm (${transport})`,
    missing: () => slurmMissing() ?? needs('cwltool', 'snakemake'),
    forms: ['executable', 'python-program', 'cwl-workflow', 'snakemake-workflow'],
    start: async () => {
      const { conf, rest, nodes, close } = await startCluster();
      const access =
        transport === 'commands'
          ? { conf }
          : { transport: 'rest', url: rest.url, 'token-file': rest.tokenFile };
      const destination = {
        runner: 'slurm',
        slurm: { ...access, partition: 'main', user: JOB_USER, python: '/usr/bin/python3' },
        workflows: WORKFLOWS,
      };
      return { destination, folders: [dirname(conf)], marks: nodes, close };
    },
  };
}

function ofMachine(destination: object) {
  return async (): Promise<Started> => ({
    destination,
    folders: [],
    marks: [],
    close: async () => undefined,
  });
}

function containers(name: 'podman' | 'docker'): FourEngine {
  return {
    name,
    missing: () => needs(...PACKAGES[name], 'cwltool', 'snakemake'),
    forms: ['oci-container', 'python-program', 'cwl-workflow', 'snakemake-workflow'],
    start: async () => {
      const { folder, socket, registry, close } = await openContainerEngine(name, {
        python: true,
        workflows: true,
      });
      const container = { socket, images: { 'python-program': `${registry}/${PYTHON_IMAGE}` } };
      return {
        destination: { runner: 'container', container, workflows: inImage(registry) },
        fetch: { registries: [registry] },
        image: `${registry}/${IMAGE}`,
        folders: [folder],
        marks: [],
        close,
      };
    },
  };
}

/** The interpreters of workflows in an image. */
function inImage(registry: string): object {
  const image = `${registry}/${WORKFLOW_IMAGE}`;
  const { cwl, snakemake } = WORKFLOWS;
  return { cwl: { ...cwl, image }, snakemake: { ...snakemake, image } };
}

/** An engine with Nextflow alone. */
function withNextflow(name: string, needed: () => Missing, start: FourEngine['start']): FourEngine {
  return {
    name: `${name} (Nextflow)`,
    missing: () => needed() ?? nextflowMissing(),
    forms: ['nextflow-workflow'],
    start,
  };
}

async function nextflowInSlurm(): Promise<Started> {
  const { conf, nodes, close } = await startCluster();
  const slurm = { conf, partition: 'main', user: JOB_USER };
  const destination = { runner: 'slurm', slurm, workflows: NEXTFLOW_HERE };
  return { destination, folders: [dirname(conf)], marks: nodes, close };
}

async function nextflowInImage(): Promise<Started> {
  const { folder, socket, registry, close } = await openContainerEngine('podman', {
    nextflow: true,
  });
  const nextflow = { command: [NEXTFLOW_THERE], image: `${registry}/${NEXTFLOW_IMAGE}` };
  return {
    destination: { runner: 'container', container: { socket }, workflows: { nextflow } },
    fetch: { registries: [registry] },
    folders: [folder],
    marks: [],
    close,
  };
}
