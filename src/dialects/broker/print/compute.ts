import { sharesOf, type MachineShare } from '../../../planner/judge/parts.ts';
import type { Promised } from '../../../planner/offer.ts';
import { toCores, toGibibytes } from '../../../words/units.ts';
import { EXTRA, type BrokerExtra } from '../extras.ts';
import { uriOf } from '../generations.ts';
import type { BrokerCompute } from '../view.ts';
import { isRounded, printBounds, type OfferedRange } from './amounts.ts';
import { printComponent, type PartOf } from './parts.ts';
import { saidKind, type PrintedFor, type WireCompute } from './words.ts';

/** The machines of a promise, in the order of the request. */
export function printMachines(to: PrintedFor, promised: Promised, of: PartOf): WireCompute[] {
  const asked = to.view?.compute ?? [];
  const shares = sharesOf(promised);
  const isList = to.spelling.generation === 'types' || isListed(to, shares.length);
  return shares.map((share, index) => {
    const path = isList ? `/compute/${index}` : '/compute';
    return printMachine(to, share, of, { item: asked[index]?.item, path });
  });
}

/** Are the machines in a list? The schema of 2026 has one, and this service any number. */
export function isListed({ request }: PrintedFor, machines: number): boolean {
  return Array.isArray(request?.compute) || machines > 1;
}

function printMachine(
  to: PrintedFor,
  share: MachineShare,
  of: PartOf,
  { item, path }: { readonly item: BrokerCompute | undefined; readonly path: string },
): WireCompute {
  const { spelling } = to;
  const { part, cores, memory } = share;
  const range: Readonly<Record<'cores' | 'memory', OfferedRange>> = {
    cores: { min: toCores(cores.min), max: toCores(cores.max) },
    memory: { min: toGibibytes(memory.min), max: toGibibytes(memory.max) },
  };
  const uri = uriOf(spelling, 'compute', 'simple-compute-resource');
  const named = item ?? (part.name === undefined ? undefined : { name: part.name });
  const extras = extrasOf(share, range);
  const volumes = item?.volumes ?? volumesOf(to, part.volumes);
  return {
    ...printComponent(
      to,
      of,
      path,
      named,
      part.platform === undefined || part.platform.name === 'kubernetes' ? uri : part.platform.uri,
    ),
    cores: printBounds(spelling, range.cores, item?.cores),
    memory: printBounds(spelling, range.memory, item?.memory),
    ...(volumes.length === 0 ? {} : { volumes }),
    ...(extras.length === 0 ? {} : { extras }),
  };
}

/** What the drafts have no words for. */
function extrasOf(
  { part: { replicas, platform, arch }, gpus }: MachineShare,
  { cores, memory }: Readonly<Record<'cores' | 'memory', OfferedRange>>,
): BrokerExtra[] {
  return [
    ...(gpus === undefined ? [] : [{ kind: EXTRA.gpu, type: gpus.type, count: gpus.count }]),
    ...(platform?.name === 'kubernetes' ? [{ kind: EXTRA.kubernetes, ...platform.block }] : []),
    ...(arch === undefined ? [] : [{ kind: EXTRA.architecture, architecture: arch }]),
    ...(replicas === 1 ? [] : [{ kind: EXTRA.replicas, count: replicas }]),
    ...(isRounded(cores) || isRounded(memory)
      ? [{ kind: EXTRA.exact, cores: { ...cores }, memory: { ...memory } }]
      : []),
  ];
}

function volumesOf(
  { spelling }: PrintedFor,
  volumes: MachineShare['part']['volumes'],
): NonNullable<WireCompute['volumes']> {
  const kind = saidKind(spelling, uriOf(spelling, 'volume', 'simple-volume-mount'));
  return volumes.map(({ name, path, mode }) => ({
    ...kind,
    path,
    mode: mode === 'r' ? 'READONLY' : 'READWRITE',
    resource: name,
  }));
}
