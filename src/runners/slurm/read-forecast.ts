import type { ForecastTerms } from '../engine-kind.ts';
import type { JobShape } from '../port.ts';
import { isNonEmpty } from '../../words/ids.ts';
import { mebibytes, millicores, seconds } from '../../words/units.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readCores, readDuration, readGpus, readSize } from '../../yaml/fields.ts';

const SHAPE_KEYS = ['cores', 'memory', 'duration', 'gpus'] as const;
const MOST_SHAPES = 20;

/**
 * The job shapes that a cluster forecasts, and how often (key `forecast` of a Slurm destination).
 */
export function readForecast(
  reader: Reader,
  node: Node | undefined,
  what: string,
): ForecastTerms | undefined {
  const found = reader.fields(node, what, ['every', 'shapes']);
  if (node === undefined || found === undefined) return undefined;
  const every = readDuration(reader, found.every, `${what}.every`, seconds(60));
  const list = reader.expectSeq(found.shapes, `${what}.shapes`);
  const shapes = (list?.items ?? [])
    .map((item, index) => readShape(reader, item, `${what}.shapes[${index}]`))
    .filter((shape) => shape !== undefined);
  if (shapes.length > MOST_SHAPES)
    reader.problem(node, `${what}.shapes has more than ${MOST_SHAPES}`);
  if (isNonEmpty(shapes)) return { every, shapes };
  return reader.problem(
    node,
    `${what} needs 'shapes'`,
    'the shapes of jobs to ask about, for example [{ cores: 8, memory: 16GiB, duration: PT1H }]',
  );
}

function readShape(reader: Reader, node: Node, what: string): JobShape | undefined {
  const found = reader.fields(node, what, SHAPE_KEYS);
  if (found === undefined) return undefined;
  reader.requireKeys(node, what, found, ['cores', 'memory', 'duration']);
  const [first, ...others] = readGpus(reader, found.gpus, `${what}.gpus`);
  if (found.gpus !== undefined && others.length > 0)
    reader.problem(found.gpus, `${what}.gpus has more than one type`, 'one shape for each type');
  return {
    cores: readCores(reader, found.cores, `${what}.cores`, millicores(0)),
    memory: readSize(reader, found.memory, `${what}.memory`, mebibytes(0)),
    duration: readDuration(reader, found.duration, `${what}.duration`, seconds(1)),
    gpus: first && { type: first[0], count: first[1] },
  };
}
