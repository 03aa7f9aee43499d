import { useId, useRef } from 'preact/hooks';
import { WORDS } from './words.ts';

type Props = {
  /** what the button says, before and in the question */
  readonly action: string;
  readonly question: string;
  /** label of a text that the answer must have; undefined: it needs none */
  readonly field?: string;
  readonly onYes: (text: string) => void;
};

/** A button for what cannot be undone: it asks first. */
export function Confirm({ action, question, field, onYes }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const answer = (form: HTMLFormElement): void => {
    const text = new FormData(form).get('text');
    dialog.current?.close();
    form.reset();
    onYes(typeof text === 'string' ? text : '');
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        {action}
      </button>
      <dialog ref={dialog} aria-label={action}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            answer(event.currentTarget);
          }}
        >
          <p>{question}</p>
          {field !== undefined && (
            <div class="field">
              <label for={id}>{field}</label>
              <input id={id} name="text" type="text" required maxLength={500} />
            </div>
          )}
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
