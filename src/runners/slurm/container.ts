import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pullReference, type ImageSource } from '../../tasks/image.ts';
import type { ContainerTask } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import type { NonEmpty } from '../../words/ids.ts';
import { openLent } from '../container/api/archive.ts';
import { jobMounts, ownVariables, TASK, WORK } from '../container/create/mounts.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { shellWord } from '../../words/safe-text.ts';
import type { Workload } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { Making } from '../run/draft.ts';
import { MARKER } from '../run/environment.ts';
import { readFromNode } from '../batch/status.ts';
import type { FailedEnd } from '../batch/system.ts';
import type { NodeContainers } from './settings.ts';

/** The exit status of Podman and of this script when the container was never started. */
const NOT_STARTED = 125;

const TROUBLES: Readonly<Record<string, FailedEnd>> = {
  'fetch-failed': {
    code: 'fetch-failed',
    message: 'the node could not get the image',
    transient: true,
  },
  'image-mismatch': {
    code: 'image-mismatch',
    message:
      'the image is not the one that was asked for: its digest or its architecture is another',
    transient: false,
  },
};
const UNSTARTED: FailedEnd = {
  code: 'runner-failed',
  message: 'the container engine of the node could not start the container',
  transient: true,
};

const ARCHIVE = 'image.tar';
const SCRIPT = 'container.sh';

/** Why a run with this exit status has no container; undefined when it had one. */
export async function containerExplanation(
  place: JobDirectory,
  exit: number,
): Promise<FailedEnd | undefined> {
  if (exit !== NOT_STARTED) return undefined;
  const trouble = (await readFromNode(containerTrouble(place))).trim();
  return trouble === '' ? undefined : (TROUBLES[trouble] ?? UNSTARTED);
}

/**
 * The /bin/sh script that runs a container as the job's own user, by Podman without rights. Podman
 * keeps everything on the node, in a folder that is removed with the job. Its environment contains
 * nothing of the client's.
 */
export function containerScript(
  workload: Workload,
  task: ContainerTask,
  place: JobDirectory,
  { program, store, conf, registries, auth, network }: NodeContainers,
): string {
  const set = Object.entries({
    CONTAINERS_CONF: conf,
    CONTAINERS_REGISTRIES_CONF: registries,
    REGISTRY_AUTH_FILE: auth,
  })
    .flatMap(([name, value]) => (value === undefined ? [] : [shellWord(`${name}=${value}`)]))
    .join(' ');
  return [
    '#!/bin/sh',
    `fail() { echo "$1" > ${shellWord(containerTrouble(place))}; exit ${NOT_STARTED}; }`,
    `cd ${shellWord(store)} || fail runner-failed`,
    // Removes what jobs left that were killed before they could clean up.
    'for left in "$PWD"/vo.*.* /tmp/vo.*.*; do owner=${left##*/vo.}; grep -qs container.sh ' +
      '"/proc/${owner%.*}/cmdline" || [ ! -O "$left" ] || { chmod -R u+rwX "$left"; rm -rf ' +
      '"$left"; } 2>/dev/null; done',
    'home=$(mktemp -d "$PWD/vo.$$.XXXXXX") || fail runner-failed',
    // A short path: with a longer one Podman 4.3 does not notice the end of its container for 20 s.
    'run=$(mktemp -d "/tmp/vo.$$.XXXXXX") || fail runner-failed',
    `engine() { env -i PATH="$PATH" ${MARKER}=${workload.job} HOME="$home" ` +
      'XDG_RUNTIME_DIR="$run" TMPDIR="$home" CONTAINERS_STORAGE_CONF="$home/storage.conf" ' +
      `${set} ${shellWord(program)} --log-level=error "$@"; }`,
    'printf ' +
      `'[storage]\\ndriver="overlay"\\n[storage.options.overlay]\\nignore_chown_errors="true"\\n' ` +
      '> "$home/storage.conf"',
    'clean() { trap "" TERM; engine unshare rm -rf "$home/.local" 2>/dev/null; cd /; chmod ' +
      '-R u+rwX "$home" "$run" 2>/dev/null; rm -rf "$home" "$run"; }',
    'trap clean EXIT',
    'trap "exit 143" TERM',
    ...obtaining(task.image, place),
    ...checking(task),
    `${running(workload, task, place, network)} &`,
    'wait "$!"',
    'code=$?',
    `[ "$code" -ne ${NOT_STARTED} ] || echo runner-failed > ${shellWord(containerTrouble(place))}`,
    'exit "$code"',
    '',
  ].join('\n');
}

/**
 * Writes what the node needs to run a container. @returns the command line of the job
 *
 * @throws JobFailure
 */
export async function prepareContainer(
  workload: Workload,
  task: ContainerTask,
  { draft, place }: Making,
  containers: NodeContainers | undefined,
  urls: UrlPolicy,
): Promise<NonEmpty<string>> {
  if (containers === undefined)
    throw new JobFailure(
      'runner-failed',
      'this site names no container engine for the nodes of its cluster',
    );
  if (task.network === 'outbound' && containers.network === undefined)
    throw new JobFailure('runner-failed', 'this destination gives no network to its jobs');
  if (workload.gpus !== undefined)
    throw new JobFailure(
      'runner-failed',
      'containers on the nodes of this cluster get no graphics processors',
    );
  if (task.image.kind === 'archive') await copyArchive(task.image.url, draft, urls);
  await writeFile(join(draft.task, SCRIPT), containerScript(workload, task, place, containers), {
    mode: 0o600,
  });
  return ['/bin/sh', join(place.task, SCRIPT)];
}

/** Lines that leave the image in `$image`, by its id. */
function obtaining(image: ImageSource, place: JobDirectory): readonly string[] {
  return image.kind === 'registry'
    ? [`image=$(engine pull --quiet ${shellWord(pullReference(image))}) || fail fetch-failed`]
    : [
        `engine load --quiet --input ${shellWord(join(place.task, ARCHIVE))} >&2 || fail fetch-failed`,
        'image=$(engine images --quiet --no-trunc | head -n 1)',
        '[ -n "$image" ] || fail fetch-failed',
      ];
}

function checking({ image: { digest }, architectures }: ContainerTask): readonly string[] {
  return [
    ...(digest === undefined
      ? []
      : [
          `engine image inspect --format '{{.Digest}} sha256:{{.Id}}' "$image" | grep -qF ` +
            `${shellWord(digest)} || fail image-mismatch`,
        ]),
    ...(architectures.length === 0
      ? []
      : [
          `engine image inspect --format '{{.Architecture}}' "$image" | grep -qxF ` +
            `${architectures.map((one) => `-e ${shellWord(one)}`).join(' ')} || fail ` +
            'image-mismatch',
        ]),
  ];
}

function running(
  workload: Workload,
  { entrypoint, command = [], environment, network }: ContainerTask,
  place: JobDirectory,
  granted: string | undefined,
): string {
  const variables = { ...environment, ...workload.environment, ...ownVariables(workload) };
  // The script that starts the container is in the directory of the task.
  const mounts = jobMounts(workload, place).filter(({ target }) => target !== TASK);
  const words = [
    // The container stays in the cgroup of the job, where Slurm limits and ends it.
    'run',
    '--rm',
    '--pull=never',
    '--cgroups=disabled',
    `--network=${network === 'outbound' ? (granted ?? 'none') : 'none'}`,
    '--read-only',
    '--cap-drop=all',
    '--security-opt=no-new-privileges',
    '--image-volume=tmpfs',
    '--log-driver=none',
    '--no-healthcheck',
    '--hostname=job',
    `--workdir=${WORK}`,
    ...mounts.map(
      ({ source, target, readOnly }) =>
        `--mount=type=bind,source=${source},destination=${target}${readOnly ? ',ro=true' : ''}`,
    ),
    ...Object.entries(variables).map(([name, value]) => `--env=${name}=${value}`),
    ...(entrypoint === undefined ? [] : [`--entrypoint=${JSON.stringify(entrypoint)}`]),
  ];
  return `engine ${words.map(shellWord).join(' ')} "$image" ${command.map(shellWord).join(' ')}`.trimEnd();
}

async function copyArchive(url: string, draft: JobDirectory, urls: UrlPolicy): Promise<void> {
  const file = await openLent(url, urls);
  try {
    await writeFile(join(draft.task, ARCHIVE), file.createReadStream({ autoClose: false }), {
      mode: 0o600,
    });
  } finally {
    await file.close();
  }
}

/** Where the script says why a container was never started; no container can write there. */
function containerTrouble({ out }: JobDirectory): string {
  return join(out, 'container');
}
