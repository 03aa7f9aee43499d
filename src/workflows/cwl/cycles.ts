/**
 * A cycle among names, each once, in their order; undefined when there is none. It visits every
 * name once, with a stack of its own: the graph is a client's.
 */
export function cycleIn(
  edges: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const state = new Map<string, 'open' | 'done'>();
  for (const start of edges.keys()) {
    if (state.has(start)) continue;
    const path: { readonly name: string; next: number }[] = [{ name: start, next: 0 }];
    state.set(start, 'open');
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const to = edges.get(top.name)?.[top.next];
      top.next += 1;
      if (to === undefined) {
        state.set(top.name, 'done');
        path.pop();
      } else if (state.get(to) === 'open') {
        const names = path.map(({ name }) => name);
        return names.slice(names.indexOf(to));
      } else if (!state.has(to)) {
        state.set(to, 'open');
        path.push({ name: to, next: 0 });
      }
    }
  }
  return undefined;
}
