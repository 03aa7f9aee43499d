import { isRecord } from '../../words/record.ts';
import { cycleIn } from './cycles.ts';
import { processName, type CwlProcess } from './processes.ts';
import { stepsOf } from './steps.ts';

/** The steps of a workflow that wait for each other; undefined when none do. */
export function waitingSteps(process: CwlProcess): readonly string[] | undefined {
  const found = known.get(process) ?? { waiting: findWaiting(process) };
  known.set(process, found);
  return found.waiting;
}

/** Many steps may run the same workflow. */
const known = new WeakMap<CwlProcess, { readonly waiting: readonly string[] | undefined }>();

function findWaiting(process: CwlProcess): readonly string[] | undefined {
  const own = processName(process['id']);
  // A packed document writes `#main/align`, others write `align`.
  const short = (name: string): string =>
    own !== '' && name.startsWith(`${own}/`) ? name.slice(own.length + 1) : name;
  const steps = stepsOf(process);
  const names = new Set(steps.map(({ id }) => short(processName(id))));
  const edges = new Map(
    steps.map(({ id, step }) => [
      short(processName(id)),
      sourcesOf(step['in'])
        .map((source) => short(processName(source)))
        .map((source) => source.slice(0, Math.max(0, source.lastIndexOf('/'))))
        .filter((name) => names.has(name)),
    ]),
  );
  return cycleIn(edges);
}

/** `in` is a list of inputs, or a mapping of their names to sources or inputs. */
function sourcesOf(inputs: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(inputs)
    ? inputs
    : isRecord(inputs)
      ? Object.values(inputs)
      : [];
  return all
    .flatMap((one): readonly unknown[] => {
      const source: unknown = isRecord(one) ? one['source'] : one;
      return Array.isArray(source) ? source : [source];
    })
    .filter((source) => typeof source === 'string');
}
