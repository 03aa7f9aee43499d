import { createServer, type Server } from 'node:http';
import { needs, type Missing } from '../../engines/packages.ts';
import {
  openContainerEngine,
  PACKAGES,
  type ContainerEngine,
} from '../../engines/container/container.ts';
import { IMAGE } from '../../engines/container/images.ts';
import { KINDS } from '../../harness/broker/judge.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import { notebookOf } from '../../runners/notebook/cells.ts';

/** A whole service with containers and notebooks, and what its clients ask for. */
export type Stage = {
  readonly service: WholeService;
  /** reference of an image with a shell */
  readonly image: string;
  /** URL of a notebook that prints `42` */
  readonly notebook: string;
  /** URL of a text, `Altair Deneb Vega` */
  readonly stars: string;
  readonly close: () => Promise<void>;
};

/** What the offers of a stage cost. */
export const CREDITS = 'urn:example:credits';

/** Why there can be no stage here. */
export function stageMissing(): Missing {
  return needs(...PACKAGES.podman);
}

/** Starts Podman, a registry, a server with a notebook and data, and the service. */
export async function openStage(): Promise<Stage> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.toReversed()) await step();
  };
  try {
    const engine = await openContainerEngine('podman');
    undo.push(engine.close);
    const files = await serveFiles();
    undo.push(files.close);
    const service = await startService(engine, files.host);
    undo.push(service.close);
    return {
      service,
      image: `${engine.registry}/${IMAGE}`,
      notebook: `http://${files.host}/answer.ipynb`,
      stars: `http://${files.host}/stars.txt`,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @returns the id of an offer whose time is up */
export async function expiredOffer(stage: Stage): Promise<string> {
  const kind = `${KINDS}executable/docker-container.yaml`;
  const asked = await fetch(`${stage.service.url}/requests`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ executable: { kind, image: { locations: [stage.image] } } }),
  });
  const id = String(Object(await asked.json()).offers[0].meta.uuid);
  await expireOffer(stage, id);
  return id;
}

/** The time of an offer is up. */
export async function expireOffer({ service }: Stage, id: string): Promise<void> {
  await service.db.database
    .$executeRaw`UPDATE offer SET expires_at = clock_timestamp() WHERE id = ${id}::uuid`;
}

function startService(engine: ContainerEngine, host: string): Promise<WholeService> {
  const room = { cores: 64, memory: '256GiB', scratch: '800GiB' };
  return startWholeService({
    site: {
      rules: ['rules.yml'],
      offers: { duration: 'PT10M' },
      fetch: { registries: [engine.registry], 'allow-hosts': [host] },
      costs: [{ type: CREDITS, core: 6, job: 1 }],
      destinations: {
        containers: {
          runner: 'container',
          'task-types': ['oci-container'],
          container: { socket: engine.socket },
          ...room,
        },
        notebooks: { runner: 'notebook', 'task-types': ['jupyter-notebook'], ...room },
      },
    },
    rules: {
      tools: { default: { mem: 1 } },
      destinations: { containers: { runner: 'any' }, notebooks: { runner: 'any' } },
    },
  });
}

const FILES: Readonly<Record<string, string>> = {
  '/answer.ipynb': notebookOf('print(6 * 7)'),
  '/stars.txt': 'Altair Deneb Vega\n',
};

async function serveFiles(): Promise<{
  readonly host: string;
  readonly close: () => Promise<void>;
}> {
  const server = createServer(({ url = '' }, response) => {
    const file = FILES[url];
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { host: `127.0.0.1:${portOf(server)}`, close: () => closed(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
