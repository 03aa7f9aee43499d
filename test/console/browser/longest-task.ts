/** Time of the processor, because other work of the machine makes a task longer. */
export const LONGEST_TASK_MS = 200;

type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** microseconds of the processor */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
};

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
