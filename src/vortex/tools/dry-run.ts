import {
  compile,
  float,
  Fuel,
  FuelExhausted,
  PyDict,
  PyError,
  PyList,
  PySyntaxError,
  standardModules,
  str,
} from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { emitYaml } from './yaml/emit.ts';
import type { EmittedNode } from './yaml/document.ts';
import type { Evaluated, TraceStep } from '../decision.ts';
import type { JobDescription } from '../job.ts';
import { documentOf } from './to-yaml.ts';
import { traceEntries } from '../explain/trace-text.ts';
import { fromJson } from '../values.ts';

/** The job of a command line. Sizes are GiB. */
export type DryRunOptions = {
  readonly tool: string;
  readonly user: string | null;
  readonly roles: readonly string[];
  readonly historyTags: readonly string[];
  readonly inputSize: number | null;
  /** The state of the job; `new` by default. */
  readonly jobState?: string;
};

/** TPV's user when one is needed and none is given; the number is made from the name. */
const SOMEBODY = { id: 133_988, username: 'gargravarr', email: 'gargravarr@vortex.org' } as const;

/**
 * The job that TPV's dry run makes from the options: one input of the given size, and the version
 * from the end of the tool id.
 */
export function jobOfOptions({
  tool,
  user,
  roles,
  historyTags,
  inputSize,
  jobState,
}: DryRunOptions): JobDescription {
  const known = user === null ? null : { ...SOMEBODY, email: user };
  return {
    tool: {
      id: tool,
      version: tool.includes('/') ? (tool.split('/').at(-1) ?? null) : null,
      requirements: [],
    },
    user: known ?? (roles.length > 0 ? SOMEBODY : null),
    roles: roles.map((name) => ({ name })),
    inputs:
      inputSize === null || inputSize === 0
        ? []
        : [{ name: 'test', sizeBytes: inputSize * 1024 ** 3, extension: 'txt' }],
    historyTags: historyTags.map((name) => ({ name, value: null })),
    ...(jobState !== undefined && { state: jobState }),
    // Pools count jobs by number, so the job of a dry run needs one.
    id: 1,
  };
}

/** Steps for reading values in Python's notation. */
const FUEL = 10_000;

/**
 * The destination as Galaxy's `JobDestination` in YAML, keys sorted, as TPV's dry run prints it.
 */
export function jobDestination(chosen: Evaluated, trace: readonly TraceStep[] = []): string {
  const { name, runner, env, resubmit, tags } = chosen;
  const fields: readonly [string, Value][] = [
    ['converted', false],
    ['env', fromJson(env)],
    ['id', name],
    ['legacy', false],
    ['params', paramsOf(chosen, trace)],
    ['resubmit', fromJson(resubmit)],
    ['runner', runner],
    ['shell', null],
    ['tags', new PyList([...tags])],
    ['url', null],
  ];
  const document = documentOf(sorted(new PyDict(fields)), { inBlocks: false });
  const tagged: EmittedNode =
    document.kind === 'map'
      ? { ...document, tag: '!!python/object:galaxy.jobs.JobDestination' }
      : document;
  return emitYaml(tagged);
}

/** A trace in YAML. As in TPV, a phase that comes again replaces its earlier steps. */
export function traceYaml(steps: readonly TraceStep[], sources: readonly string[]): string {
  const phases = new Map<string, PyDict[]>();
  let last: string | null = null;
  for (const { phase, message, detail } of traceEntries(steps, sources)) {
    const entry = new PyDict([
      ['message', message],
      ...(detail === null ? [] : [['detail', detail] as [Value, Value]]),
    ]);
    if (phase === last) phases.get(phase)?.push(entry);
    else phases.set(phase, [entry]);
    last = phase;
  }
  const dict = new PyDict([...phases].map(([phase, entries]) => [phase, new PyList(entries)]));
  return emitYaml(documentOf(new PyDict([['phases', dict]]), { inBlocks: true }));
}

/**
 * The params of a decision as Python values, read from its trace, which has them in Python's
 * notation: JSON cannot tell 8 from 8.0, and moves keys that look like numbers to the front.
 */
function paramsOf({ params }: Evaluated, trace: readonly TraceStep[]): Value {
  const chosen = trace.find((step) => step.step === 'chosen');
  if (chosen === undefined) return fromJson(params);
  const datetime = standardModules.get('datetime') ?? null;
  const names = new Map<string, Value>([
    ['datetime', datetime],
    ['inf', float(Infinity)],
    ['nan', float(NaN)],
  ]);
  try {
    const value = compile(chosen.params, 'code').run(names, { fuel: new Fuel(FUEL) });
    return value instanceof PyDict ? value : fromJson(params);
  } catch (error) {
    if (
      error instanceof PyError ||
      error instanceof PySyntaxError ||
      error instanceof FuelExhausted
    )
      return fromJson(params);
    throw error;
  }
}

function sorted(value: Value): Value {
  if (value instanceof PyList) return new PyList(value.items.map(sorted));
  if (!(value instanceof PyDict)) return value;
  const pairs = value.pairs().map(([key, item]): [Value, Value] => [key, sorted(item)]);
  return new PyDict(pairs.sort(([a], [b]) => (str(a) < str(b) ? -1 : 1)));
}
