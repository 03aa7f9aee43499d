import { signal } from '@preact/signals';
import { site } from '../site-of.ts';
import { draftFor, type Draft } from './document.ts';

/** A text that somebody typed. */
export type TypedText = {
  readonly text: string;
  /** the form that it is */
  readonly of: Draft;
  readonly hasComments: boolean;
  /** line from 1 at which it cannot be read as an ask; the form shows the ask before it then */
  readonly unreadAt: number | undefined;
};

/** The form as it was left, also while other screens are shown. */
export const draft = signal<Draft>(draftFor('', {}));

/** The last text that somebody typed; it is over when the form is another one. */
export const typed = signal<TypedText | undefined>(undefined);

/** Begins a new form: what somebody wrote is not for who comes next. */
export function forgetDraft(): void {
  typed.value = undefined;
  draft.value = draftFor('', {});
  startDraft();
}

/** Shows the first type of the site in a form that nobody has filled. */
export function startDraft(): void {
  const [first] = site.value.kinds;
  if (draft.value.type === '' && first !== undefined)
    draft.value = draftFor(first.type, first.example ?? {});
}
