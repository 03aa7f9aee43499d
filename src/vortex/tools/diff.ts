import type { Decision } from '../decision.ts';
import { verdictText } from '../explain/why-not.ts';

/** Where a job goes: the name of its destination, or the end of its decision in words. */
export function whereabouts(decision: Decision): string {
  return decision.kind === 'destination' ? decision.chosen.name : verdictText(decision);
}

/** The change for one job under new rules; undefined when it goes to the same place. */
export function move(before: Decision, after: Decision): string | undefined {
  const [from, to] = [whereabouts(before), whereabouts(after)];
  return from === to ? undefined : `${from} -> ${to}`;
}
