import type { ImageTerms } from '../../environments/environment.ts';
import { parseReference } from '../../tasks/image.ts';
import { isRecord } from '../../words/record.ts';
import { sharedWork } from '../../words/shared-work.ts';
import { ASKING, FACTS } from '../asking/interpreter.ts';
import { engineApi, isPodman, type EngineApi } from './api/client.ts';
import { readOutput } from './api/output.ts';
import { obtainImage } from './image.ts';
import { engineOfImage } from './image-terms.ts';
import type { ContainerSettings } from './settings.ts';

/** Fetching a large image goes on while its destination waits for it. */
const PATIENCE_MS = 20_000;
const MEMORY = 512 * 2 ** 20;

const fetching = sharedWork<string, { readonly id: string }>();

/**
 * Asks the Python of an image what it has, in a container without a network.
 *
 * @returns JSON, if it is honest
 * @throws Error that says why there is no answer
 */
export async function askImage(terms: ImageTerms): Promise<string> {
  const settings = engineOfImage(terms);
  const image = parseReference(terms.reference);
  if (settings === undefined || image === undefined) throw new Error('no engine has it');
  const api = engineApi(settings.address);
  const urls = { allowHosts: [], fileRoots: [] };
  const work = fetching.do(JSON.stringify(terms), () =>
    obtainImage(api, image, [], settings, urls, new AbortController().signal),
  );
  const found = await within(work);
  const id = await create(api, found.id, settings);
  try {
    await api.call({ method: 'POST', path: `/containers/${id}/start` });
    await api.call({ method: 'POST', path: `/containers/${id}/wait`, patience: ASKING.ms });
    const { stdout, stderr } = await readOutput(api, id, ASKING.bytes);
    if (stdout !== '') return stdout;
    throw new Error(stderr.trim().split('\n').at(-1) || 'its python3 says nothing');
  } finally {
    await api
      .call({ method: 'DELETE', path: `/containers/${id}`, query: { force: '1', v: '1' } })
      .catch(() => undefined);
  }
}

async function within<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('its image is being fetched')), PATIENCE_MS).unref();
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function create(
  api: EngineApi,
  image: string,
  { runtime }: ContainerSettings,
): Promise<string> {
  const made = await api.call({
    method: 'POST',
    path: '/containers/create',
    body: {
      Image: image,
      Entrypoint: ['python3'],
      Cmd: ['-I', '-c', FACTS],
      User: '65534:65534',
      WorkingDir: '/',
      NetworkDisabled: true,
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: 64,
        Memory: MEMORY,
        MemorySwap: MEMORY,
        LogConfig: {
          Type: (await isPodman(api)) ? 'k8s-file' : 'local',
          Config: { 'max-size': '16m' },
        },
        RestartPolicy: { Name: 'no' },
        ...(runtime !== undefined && { Runtime: runtime }),
      },
    },
  });
  if (isRecord(made) && typeof made['Id'] === 'string') return made['Id'];
  throw new Error('the engine names no container');
}
