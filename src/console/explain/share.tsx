import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { placeOf } from '../api.ts';
import { EXPLANATION } from '../words/explanation.ts';

type Props = { readonly ident: string; readonly isAnonymous: boolean };

/** A link to the explanation, which browsers and programs can open, and who can open it. */
export function Share({ ident, isAnonymous }: Props) {
  const words = EXPLANATION.share;
  const field = useRef<HTMLInputElement>(null);
  const said = useSignal('');
  const id = useId();
  const link = placeOf('asks', ident, 'explain');
  const copy = async (): Promise<void> => {
    said.value = (await isCopied(link)) ? words.copied : words.selected;
    if (said.value === words.selected) field.current?.select();
  };
  return (
    <section class="card" aria-labelledby="share">
      <h2 id="share">{words.title}</h2>
      <p>{isAnonymous ? words.anonymous : words.owner}</p>
      <div class="field">
        <label for={id}>{words.label}</label>
        <input id={id} ref={field} type="text" readOnly value={link} />
      </div>
      <p class="row">
        <button type="button" onClick={() => void copy()}>
          {words.copy}
        </button>
        <span role="status">{said}</span>
      </p>
    </section>
  );
}

/** Pages without TLS have no clipboard, and a browser may refuse it. */
async function isCopied(text: string): Promise<boolean> {
  if (!isSecureContext) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
