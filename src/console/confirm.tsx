import { useRef } from 'preact/hooks';
import { WORDS } from './words.ts';

type Props = {
  /** what the button says, before and in the question */
  readonly action: string;
  readonly question: string;
  readonly onYes: () => void;
};

/** A button for what cannot be undone: it asks first. */
export function Confirm({ action, question, onYes }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        {action}
      </button>
      <dialog ref={dialog} aria-label={action}>
        <p>{question}</p>
        <div class="row">
          <button
            type="button"
            class="main"
            onClick={() => {
              dialog.current?.close();
              onYes();
            }}
          >
            {action}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            {WORDS.shell.back}
          </button>
        </div>
      </dialog>
    </>
  );
}
