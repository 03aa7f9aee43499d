import type { ToPlanner } from './messages.ts';

/** Metrics of planners that answer later leave a gap: a scrape has ten seconds. */
const LIMIT_MS = 5000;

type Send = (message: ToPlanner) => void;

/**
 * Asks all planners for their metrics.
 *
 * @param planners those that answer now, the oldest first: it tells what all share, so that its
 *   counts go on as long as it lives
 */
export function openGathering(planners: () => readonly Send[]) {
  const open = new Map<number, (text: string) => void>();
  let last = 0;
  return {
    /** @param use called once */
    begin: (use: (texts: readonly string[]) => void): void => {
      last += 1;
      const id = last;
      const asked = planners();
      const texts: string[] = [];
      const end = (): void => {
        clearTimeout(limit);
        open.delete(id);
        use(texts);
      };
      const limit = setTimeout(end, LIMIT_MS);
      open.set(id, (text) => {
        if (texts.push(text) === asked.length) end();
      });
      asked.forEach((send, index) => send({ kind: 'measure', id, withShared: index === 0 }));
    },
    add: (id: number, text: string): void => open.get(id)?.(text),
  };
}
