import type { components } from '../../generated/api.d.ts';
import type { PrintableOffer, PrintableProposal } from '../../planner/dialect.ts';
import type { Promised, PromisedStorage } from '../../planner/offer.ts';
import { sharesOf, type MachineShare } from '../../planner/judge/parts.ts';
import type { ContainerTask, Task } from '../../tasks/task.ts';
import { printSize, toCores } from '../../words/units.ts';
import { isWorkflow } from '../../tasks/workflow/workflow.ts';
import { printNeeds, printWorkflow } from '../needs.ts';
import { printInstant } from '../../words/iso8601.ts';
import { printDuration } from '../duration.ts';

type WireOffer = components['schemas']['Offer'];
type WireProposal = components['schemas']['Proposal'];
type WireResources = components['schemas']['Resources'];
type WireCompute = components['schemas']['ComputeItem'];
type WireStorage = components['schemas']['StorageItem'];

/** Sizes are written as `16Gb`. */
export const SIZES = 'Gb';

/** A promise as an ask that can be sent again. */
export function printRequest({ taskType, task, plugin, ...rest }: Promised): WireOffer['request'] {
  return {
    task: { type: taskType, spec: plugin?.spec ?? specOf(task) },
    resources: resourcesOf({ taskType, task, plugin, ...rest }),
  };
}

/** A proposal of a dry run on the wire. */
export function printProposal(proposal: PrintableProposal): WireProposal {
  return {
    status: 'PROPOSED',
    ...proposalFields(proposal),
    ...costsOf(proposal),
    request: requestOf(proposal),
  };
}

/**
 * An offer on the wire, with everything that a client needs to accept it. It has no secrets and
 * does not depend on the engine.
 *
 * @param base URL of the service as the client sees it, without a slash at its end
 */
export function printOffer(offer: PrintableOffer, base: string): WireOffer {
  return {
    ident: offer.id,
    href: `${base}/offers/${offer.id}`,
    status: offer.state,
    expires: printInstant(offer.expiresAt),
    'expires-in': offer.secondsLeft,
    ...proposalFields(offer),
    ...costsOf(offer),
    connection: {
      type: 'ivo://ivoa.net/std/UWS#rest-1.1',
      jobs: `${base}/jobs`,
      job: `${base}/jobs/${offer.id}`,
      method: 'POST',
      parameters: { OFFER: offer.id, PHASE: 'RUN' },
    },
    request: requestOf(offer),
  };
}

/** The Python in which a task runs, and what was not checked of it. */
export function printEnvironment({ environment }: Pick<Promised, 'environment'>) {
  return (
    environment && {
      ...(environment.name !== undefined && {
        environment: environment.name,
        python: environment.python,
      }),
      ...(environment.note !== undefined && { note: environment.note }),
    }
  );
}

/** What a proposal is for, as an ask: with the name that its client gave. */
function requestOf({ name, promised }: PrintableProposal): WireOffer['request'] {
  return { ...(name === undefined ? {} : { name }), ...printRequest(promised) };
}

/** The `spec` of a task. */
function specOf(task: Task): Record<string, unknown> {
  if (isWorkflow(task)) return printWorkflow(task);
  switch (task.type) {
    case 'jupyter-notebook':
      return {
        ...(task.notebook.kind === 'url'
          ? { notebook: task.notebook.url }
          : { content: task.notebook.text }),
        ...(task.parameters && { parameters: task.parameters }),
        ...printNeeds(task),
      };
    case 'python-program':
      return {
        ...(task.program.kind === 'url'
          ? { program: task.program.url }
          : { source: task.program.text }),
        arguments: task.arguments,
        ...printNeeds(task),
      };
    case 'executable':
      return {
        command: task.command,
        environment: task.environment,
        ...(task.parallel && { parallel: task.parallel }),
      };
    case 'oci-container':
      return containerOf(task);
    case 'helm-chart':
      return {
        ...(task.chart.kind === 'url' && { chart: task.chart.url }),
        ...(Object.keys(task.values).length > 0 && { values: task.values }),
      };
    default:
      return task satisfies never;
  }
}

/** The `spec` of a container. */
function containerOf({
  image,
  architectures,
  entrypoint,
  command,
  environment,
  network,
  parallel,
}: ContainerTask): Record<string, unknown> {
  return {
    ...(architectures.length > 1 && {
      platforms: architectures.map((architecture) => ({ architecture })),
    }),
    ...(architectures.length === 1 && { arch: architectures[0] }),
    ...(image.kind === 'archive'
      ? { image: image.url }
      : {
          repo: image.registry,
          image: `${image.repository}${image.tag === undefined ? '' : `:${image.tag}`}`,
        }),
    ...(image.digest !== undefined && { digest: image.digest }),
    ...(entrypoint !== undefined && { entrypoint }),
    ...(command !== undefined && { command }),
    ...(Object.keys(environment).length > 0 && { environment }),
    ...(network !== 'none' && { network }),
    ...(parallel && { parallel }),
  };
}

function resourcesOf(promised: Promised): WireResources {
  return {
    compute: sharesOf(promised).map(computeOf),
    ...(promised.storage.length > 0 && { storage: promised.storage.map(storageOf) }),
  };
}

function computeOf({
  part: { name, replicas, platform, arch, volumes },
  cores,
  memory,
  gpus,
}: MachineShare): WireCompute {
  return {
    ...(name !== undefined && { name }),
    ...(replicas !== 1 && { replicas }),
    ...(platform !== undefined && { type: platform.uri }),
    ...(platform === undefined || Object.keys(platform.block).length === 0
      ? {}
      : { [platform.name]: { ...platform.block } }),
    ...(arch !== undefined && { arch }),
    'min-cores': toCores(cores.min),
    'max-cores': toCores(cores.max),
    'min-memory': printSize(memory.min, SIZES),
    'max-memory': printSize(memory.max, SIZES),
    ...(gpus !== undefined && { gpu: { type: gpus.type, count: gpus.count } }),
    ...(volumes.length > 0 && { volumes: volumes.map((volume) => ({ ...volume })) }),
  };
}

/** A storage item of an offer; a persistent one is printed as its concrete storage. */
function storageOf(item: PromisedStorage): WireStorage {
  switch (item.kind) {
    case 'ephemeral':
      return {
        name: item.name,
        type: 'https://www.purl.org/ivoa-net/storage-type/ephemeral',
        ...(item.size > 0 && { size: printSize(item.size, SIZES) }),
      };
    case 'managed':
      return {
        name: item.name,
        type: item.type,
        ...(item.endpoint !== undefined && { endpoint: item.endpoint }),
        objectid: item.object,
        lifecycle: 'managed',
        ...(item.lifetime !== undefined && { lifetime: printDuration(item.lifetime) }),
        size: printSize(item.size, SIZES),
      };
    case 'external':
      return { ...item.asked, name: item.name };
    default:
      return item satisfies never;
  }
}

function costsOf({ promised: { costs } }: PrintableProposal): Pick<WireOffer, 'costs'> {
  return costs === undefined ? {} : { costs: costs.map((cost) => ({ ...cost })) };
}

type OfferFields = 'destination' | 'environment' | 'python' | 'note' | 'identity' | 'time';

function proposalFields({
  destination,
  identity,
  startsAt,
  durationS,
  promised,
}: PrintableProposal): Pick<WireOffer, OfferFields> {
  return {
    destination,
    ...printEnvironment(promised),
    identity,
    time: { start: printInstant(startsAt), duration: printDuration(durationS) },
  };
}
