import { processorTime } from '../../harness/time/processor-time.ts';

/**
 * Time of the processor, because other work of the machine makes a task longer. Beside much of it
 * 218 ms were seen; a list that is drawn as a whole takes seconds.
 */
const LONGEST_TASK_MS = 300;
/** Of `sample` where the limit was chosen: two cores with other work on them. */
const SAMPLE_MS = 25;
const SAMPLES = 9;

type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** microseconds of the processor */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
};

/** Milliseconds that a task may take here: a slower processor has as much more. */
export function mostOfTask(): number {
  const taken = Array.from({ length: SAMPLES }, () => {
    const begun = processorTime();
    sample();
    return processorTime() - begun;
  }).toSorted((a, b) => a - b);
  return LONGEST_TASK_MS * Math.max(1, (taken[SAMPLES >> 1] ?? 0) / SAMPLE_MS);
}

/** Milliseconds of the processor for the longest task of a page's main thread. */
export function longestTask(trace: Buffer): number {
  const { traceEvents }: { readonly traceEvents: readonly TraceEvent[] } = JSON.parse(
    String(trace),
  );
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith('RunTask') && main.has(`${pid} ${tid}`),
  );
  return Math.max(0, ...tasks.map(({ tdur }) => (tdur ?? 0) / 1000));
}

/** Work as that of a page: objects, texts and maps. */
function sample(): number {
  const rows = new Map<string, object>();
  for (let index = 0; index < 300_000; index += 1)
    rows.set(`row ${index % 5000}`, { index, text: `${index}`.padStart(8) });
  return [...rows.values()].map((row) => JSON.stringify(row)).join('').length;
}
