import { visibleOwner } from './principal.ts';

/** Who stops a job. */
export type Stopper = 'owner' | { readonly administrator: string };

/** Names the stopper in a sentence for the job's owner. */
export function stopperText(who: Stopper): string {
  return who === 'owner' ? 'its owner' : `the administrator ${visibleOwner(who.administrator)}`;
}
