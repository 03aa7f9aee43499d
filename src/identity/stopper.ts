import { visibleOwner } from './principal.ts';

/** Who stops a job. */
export type Stopper = 'owner' | { readonly administrator: string };

/** For a sentence that the job's owner reads. */
export function stopperText(who: Stopper): string {
  return who === 'owner' ? 'its owner' : `the administrator ${visibleOwner(who.administrator)}`;
}
