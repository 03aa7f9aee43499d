/** A CPU profile as `node --cpu-prof` writes it; times in µs. */
export type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

/** A function and what it called, with the time of both in µs. */
export type Frame = {
  readonly name: string;
  readonly time: number;
  readonly calls: readonly Frame[];
};

/** V8's own words for no work at all. */
const IDLE = new Set(['(idle)', '(program)']);

/** The calls of a profile as a tree; calls of one function at one place are one frame. */
export function framesOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const own = new Map<number, number>();
  for (const [at, id] of samples.entries())
    own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[at] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const [root] = nodes;

  const merged = (name: string, ids: readonly number[]): Frame => {
    const called = ids.flatMap((id) => byId.get(id)?.children ?? []);
    const byName = Map.groupBy(called, (id) => nameOf(byId.get(id)?.callFrame));
    const calls = [...byName]
      .filter(([one]) => !IDLE.has(one))
      .map(([one, same]) => merged(one, same))
      .toSorted((a, b) => b.time - a.time);
    const below = calls.reduce((sum, { time }) => sum + time, 0);
    const self = ids.reduce((sum, id) => sum + (own.get(id) ?? 0), 0);
    return { name, time: self + below, calls };
  };
  return merged('all', root === undefined ? [] : [root.id]);
}

function nameOf(frame: CpuProfile['nodes'][number]['callFrame'] | undefined): string {
  if (frame === undefined) return '(unknown)';
  const file = frame.url.replace(/^.*\/(?=(?:src|workers|node_modules)\/)/, '');
  const name = frame.functionName || '(anonymous)';
  return file === '' ? name : `${name} ${file}:${frame.lineNumber + 1}`;
}
