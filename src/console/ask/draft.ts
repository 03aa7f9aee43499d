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

/** What somebody wrote for other task types than the one that is shown, by their URIs. */
const put = new Map<string, Pick<Draft, 'spec' | 'rest'>>();

/** The last text that somebody typed; it is over when the form is another one. */
export const typed = signal<TypedText | undefined>(undefined);

/** Begins a new form: what somebody wrote is not for who comes next. */
export function forgetDraft(): void {
  typed.value = undefined;
  put.clear();
  draft.value = draftFor('', {});
  startDraft();
}

/** Shows another task type with the amounts of the form; what was written for this one is kept. */
export function changeType(type: string): void {
  const { value: now } = draft;
  put.set(now.type, { spec: now.spec, rest: now.rest });
  const example = site.value.kinds.find((kind) => kind.type === type)?.example ?? {};
  draft.value = { ...now, type, ...(put.get(type) ?? { spec: example, rest: undefined }) };
}

/** Shows the first type of the site in a form that nobody has filled. */
export function startDraft(): void {
  const [first] = site.value.kinds;
  if (draft.value.type === '' && first !== undefined)
    draft.value = draftFor(first.type, first.example ?? {});
}
