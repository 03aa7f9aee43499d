import type { Peers } from './channel.ts';

/** How often a planner looks whether its problems are others than it told. */
const LOOK_MS = 250;
/** How often it tells them again. */
const TELL_MS = 2000;
/** Problems that were not told again for so long are over, or their planner has ended. */
const OLD_MS = 7000;

type Told = { readonly number: number; readonly problems: readonly string[] };

/**
 * Tells the other planners of problems, because any of them may be asked how the service is: one
 * that could not read its files goes on with the former ones, while the others have new ones.
 *
 * @param own those of this planner
 * @param clock milliseconds
 * @returns the own ones, and those that others alone have, with their planner
 */
export function toldProblems(
  peers: Pick<Peers, 'number' | 'channel'>,
  topic: string,
  own: () => readonly string[],
  clock: () => number,
): () => readonly string[] {
  const { number } = peers;
  if (number === undefined) return own;
  const channel = peers.channel<Told>(`problems of ${topic}`);
  const others = new Map<number, { readonly at: number; readonly problems: readonly string[] }>();
  channel.hear((told) => others.set(told.number, { at: clock(), problems: told.problems }));
  let last: { readonly at: number; readonly problems: readonly string[] } = { at: 0, problems: [] };
  setInterval(() => {
    const problems = own();
    const isChanged = problems.join('\n') !== last.problems.join('\n');
    if (!isChanged && (problems.length === 0 || clock() - last.at < TELL_MS)) return;
    // None, too, so that nobody repeats a mended one.
    channel.tell({ number, problems });
    last = { at: clock(), problems };
  }, LOOK_MS).unref();
  return () => {
    const mine = own();
    const theirs = [...others]
      .filter(([, { at }]) => clock() - at < OLD_MS)
      .flatMap(([other, { problems }]) =>
        problems
          .filter((problem) => !mine.includes(problem))
          .map((problem) => `planner ${other}: ${problem}`),
      );
    return [...mine, ...theirs];
  };
}
