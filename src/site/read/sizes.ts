import type { MapNode, Node, Reader } from '../../yaml/index.ts';
import type { Capacity } from '../../schedule/amount.ts';
import { mebibytes, millicores, type Mebibytes, type Millicores } from '../../words/units.ts';
import { readCores, readGpus, readSize } from '../../yaml/fields.ts';
import type { Burst, Flavour, Sizes, Steps } from '../sizes.ts';

/** A larger factor is a mistake. */
const MOST_TIMES = 1000;

const KEYS = ['flavours', 'elastic', 'burst'] as const;

/**
 * Reads `flavours`, `elastic` or `burst` of a destination; without any of them, any amount is
 * possible.
 */
export function readSizes(
  reader: Reader,
  found: { readonly [key in (typeof KEYS)[number]]?: Node },
  what: string,
  capacity: Capacity,
): Sizes {
  const [, second] = KEYS.flatMap((key) => found[key] ?? []);
  if (second !== undefined) {
    const named = KEYS.filter((key) => found[key] !== undefined).join(' and ');
    reader.problem(
      second,
      `${what} has ${named}`,
      'a destination hands out fixed sizes, a range, or a minimum that jobs may exceed',
    );
  }
  if (found.flavours !== undefined)
    return readFlavours(reader, found.flavours, `${what}.flavours`, capacity);
  const elastic = reader.expectMap(found.elastic, `${what}.elastic`);
  if (elastic) return readElastic(reader, elastic, `${what}.elastic`);
  const burst = reader.expectMap(found.burst, `${what}.burst`);
  return burst ? readBurst(reader, burst, `${what}.burst`, capacity) : { kind: 'any' };
}

function readFlavours(reader: Reader, node: Node, what: string, capacity: Capacity): Sizes {
  const items = reader.expectSeq(node, what)?.items ?? [];
  const flavours = items
    .map((item, index) => readFlavour(reader, item, `${what}[${index}]`, capacity))
    .filter((one) => one !== undefined);
  if (flavours.length === 0) reader.problem(node, `${what} needs at least one flavour`);
  flavours.forEach(({ name }, index) => {
    const item = items[index];
    if (item !== undefined && flavours.findIndex((other) => other.name === name) < index)
      reader.problem(item, `${what} has two flavours named '${name}'`);
  });
  return {
    kind: 'flavours',
    flavours: flavours.sort(
      (a, b) =>
        (a.gpus?.count ?? 0) - (b.gpus?.count ?? 0) || a.cores - b.cores || a.memory - b.memory,
    ),
  };
}

function readFlavour(
  reader: Reader,
  node: Node,
  what: string,
  capacity: Capacity,
): Flavour | undefined {
  const found = reader.fields(node, what, ['name', 'cores', 'memory', 'gpus']);
  if (found === undefined) return undefined;
  reader.requireKeys(node, what, found, ['name', 'cores', 'memory']);
  const name = reader.expectString(found.name, `${what}.name`) ?? what;
  const cores = readCores(reader, found.cores, `${what}.cores`, millicores(0));
  const memory = readSize(reader, found.memory, `${what}.memory`, mebibytes(0));
  const [gpus, ...more] = readGpus(reader, found.gpus, `${what}.gpus`);
  if (more.length > 0) reader.problem(node, `${what}.gpus can have only one type of GPU`);
  const has = gpus === undefined ? 0 : (capacity.gpus.get(gpus[0]) ?? 0);
  if (cores > capacity.cores || memory > capacity.memory || (gpus !== undefined && gpus[1] > has)) {
    reader.problem(
      node,
      `${what} is larger than the whole destination`,
      'no flavour can have more than the totals cores, memory and gpus',
    );
  }
  return { name, cores, memory, gpus: gpus && { type: gpus[0], count: gpus[1] } };
}

function readElastic(reader: Reader, map: MapNode, what: string): Sizes {
  const found = reader.expectKeys(map, what, ['cores', 'memory']);
  const optional =
    <Unit>(read: (node: Node, at: string) => Unit) =>
    (node: Node | undefined, at: string): Unit | undefined =>
      node && read(node, at);
  return {
    kind: 'elastic',
    cores: readSteps(
      reader,
      found.cores,
      `${what}.cores`,
      optional((node, at) => readCores(reader, node, at, millicores(0))),
    ),
    memory: readSteps(
      reader,
      found.memory,
      `${what}.memory`,
      optional((node, at) => readSize(reader, node, at, mebibytes(0))),
    ),
  };
}

function readSteps<Unit extends Millicores | Mebibytes>(
  reader: Reader,
  node: Node | undefined,
  what: string,
  read: (node: Node | undefined, what: string) => Unit | undefined,
): Steps<Unit> | undefined {
  const found = reader.fields(node, what, ['min', 'max', 'step']);
  if (node === undefined || found === undefined) return undefined;
  const [min, max, step] = [
    read(found.min, `${what}.min`),
    read(found.max, `${what}.max`),
    read(found.step, `${what}.step`),
  ];
  if (min === undefined || max === undefined)
    return reader.problem(node, `${what} needs 'min' and 'max'`);
  if (min > max) return reader.problem(node, `${what}.min is above ${what}.max`);
  if (step === 0) return reader.problem(node, `${what}.step must be above zero`);
  return { min, max, step };
}

function readBurst(reader: Reader, map: MapNode, what: string, { cores, memory }: Capacity): Burst {
  const found = reader.expectKeys(map, what, ['cores', 'memory']);
  if (found.cores === undefined && found.memory === undefined) {
    reader.problem(
      map,
      `${what} needs 'cores' or 'memory'`,
      'how many times its minimum a job may use, for example { cores: 2, memory: 1.5 }',
    );
  }
  const times = (node: Node | undefined, at: string): number =>
    reader.expectNumber(node, at, { min: 1, max: MOST_TIMES }) ?? 1;
  return {
    kind: 'burst',
    cores: times(found.cores, `${what}.cores`),
    memory: times(found.memory, `${what}.memory`),
    most: { cores, memory },
  };
}
