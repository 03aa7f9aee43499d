import { signal } from '@preact/signals';
import { site } from '../site-of.ts';
import { draftFor, type Draft } from './document.ts';

/** The form as it was left, also while other screens are shown. */
export const draft = signal<Draft>(draftFor('', {}));

/** Shows the first type of the site in a form that nobody has filled. */
export function startDraft(): void {
  const [first] = site.value.kinds;
  if (draft.value.type === '' && first !== undefined)
    draft.value = draftFor(first.type, first.example ?? {});
}
