/** Whose turn it is of the planners of a service, in one thing. */
export type Rota<Member> = {
  readonly want: (member: Member) => void;
  /** It has done what it wanted to do, with its turn or without. */
  readonly over: (member: Member) => void;
  /** It has ended. */
  readonly gone: (member: Member) => void;
};

/** @param give tells a member that it is its turn */
export function openRota<Member>(give: (member: Member) => void): Rota<Member> {
  /** the first has the turn */
  let line: readonly Member[] = [];

  const goOn = (next: readonly Member[]): void => {
    const [before] = line;
    line = next;
    const [first] = line;
    if (first !== undefined && first !== before) give(first);
  };
  return {
    want: (member) => goOn([...line, member]),
    over: (member) => {
      const at = line.indexOf(member);
      const others = line.filter((one) => one !== member);
      // It could not wait for the first one any longer, and nobody else shall.
      goOn(at > 0 ? others.slice(1) : others);
    },
    gone: (member) => goOn(line.filter((one) => one !== member)),
  };
}
