import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { WORDS } from './words.ts';

type Props = {
  /** what the button says, before and in the question */
  readonly action: string;
  /** begins with the action, and tells this button from others */
  readonly label?: string;
  readonly question: string;
  /** label of a text that the answer must have; undefined: it needs none */
  readonly field?: string | undefined;
  /** more fields */
  readonly children?: ComponentChildren;
  /**
   * What was typed is kept unless it works: somebody will try again.
   *
   * @param more all fields by their names
   * @returns does it work?
   */
  readonly onYes: (text: string, more: FormData) => Promise<boolean>;
};

/** A button for what cannot be undone: it asks first. */
export function Confirm({ action, label = action, question, field, children, onYes }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const isBusy = useSignal(false);
  const answer = async (form: HTMLFormElement): Promise<void> => {
    const fields = new FormData(form);
    const text = fields.get('text');
    dialog.current?.close();
    isBusy.value = true;
    try {
      if (await onYes(typeof text === 'string' ? text : '', fields)) form.reset();
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <button
        type="button"
        aria-label={label === action || isBusy.value ? undefined : label}
        aria-disabled={isBusy.value}
        onClick={() => isBusy.value || dialog.current?.showModal()}
      >
        {isBusy.value ? WORDS.shell.busy(action) : action}
      </button>
      <dialog ref={dialog} aria-label={label}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void answer(event.currentTarget);
          }}
        >
          <p>{question}</p>
          {field !== undefined && (
            <div class="field">
              <label for={id}>{field}</label>
              <input id={id} name="text" type="text" required pattern=".*\S.*" maxLength={500} />
            </div>
          )}
          {children}
          <div class="row">
            <button class="main">{action}</button>
            <button type="button" onClick={() => dialog.current?.close()}>
              {WORDS.shell.back}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
