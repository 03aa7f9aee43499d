const HEAD = /^# HELP (\S+) /;

/**
 * Joins the metrics of several planners, in the text format of Prometheus: each metric once, with
 * the lines of all.
 */
export function mergeMetrics(texts: readonly string[]): string {
  const heads = new Map<string, string[]>();
  const values = new Map<string, string[]>();
  for (const text of texts) {
    let name = '';
    let isKnown = false;
    for (const line of text.split('\n')) {
      const found = HEAD.exec(line)?.[1];
      if (found !== undefined) {
        name = found;
        isKnown = heads.has(name);
        if (!isKnown) heads.set(name, []);
      }
      if (line === '') continue;
      if (!line.startsWith('#')) values.set(name, [...(values.get(name) ?? []), line]);
      else if (!isKnown) heads.get(name)?.push(line);
    }
  }
  return [...heads]
    .flatMap(([name, head]) => [...head, ...(values.get(name) ?? []), ''])
    .join('\n');
}
