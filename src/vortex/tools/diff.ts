import type { Decision } from '../decision.ts';
import { verdictText } from '../explain/why-not.ts';

/** Where a job goes, in words: the name of its destination, or how its decision ended. */
export function whereabouts(decision: Decision): string {
  return decision.kind === 'destination' ? decision.chosen.name : verdictText(decision);
}

/** What becomes of one job under changed rules; undefined when it goes where it went. */
export function move(before: Decision, after: Decision): string | undefined {
  const [from, to] = [whereabouts(before), whereabouts(after)];
  return from === to ? undefined : `${from} -> ${to}`;
}
