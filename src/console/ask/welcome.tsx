import { useState } from 'preact/hooks';
import { site, type TaskKind } from '../site-of.ts';
import { WORDS } from '../words.ts';
import { accept, ask, conversation } from './conversation.ts';
import { documentOf, draftFor, type Draft } from './document.ts';

type Props = { readonly onFill: (draft: Draft) => void };

type ExampleProps = Props & { readonly kind: TaskKind; readonly example: Draft['spec'] };

/** Explains offers to somebody who never heard of them, and has one example of each task type. */
export function Welcome({ onFill }: Props) {
  const words = WORDS.welcome;
  const { kinds, message } = site.value;
  return (
    <section aria-labelledby="welcome">
      {message !== undefined && <p class="card message">{message}</p>}
      <div class="card">
        <h2 id="welcome">{words.title}</h2>
        <ol class="how">
          {words.steps.map(([what, text]) => (
            <li key={what}>
              <strong>{what}</strong> {text}
            </li>
          ))}
        </ol>
        <p>
          <small>{words.none}</small>
        </p>
      </div>
      <div class="card">
        <h2>{words.examples}</h2>
        <p>{kinds.length > 0 ? words.examplesText : words.empty}</p>
        <ul class="plain examples">
          {kinds.flatMap((kind) =>
            kind.example === undefined ? (
              []
            ) : (
              <Example key={kind.type} kind={kind} example={kind.example} onFill={onFill} />
            ),
          )}
        </ul>
      </div>
    </section>
  );
}

function Example({ kind, example, onFill }: ExampleProps) {
  const [isBusy, setBusy] = useState(false);
  const words = WORDS.welcome;
  const draft = draftFor(kind.type, example);
  const run = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    onFill(draft);
    await askAndAccept(draft);
    setBusy(false);
  };
  return (
    <li class="row">
      <span class="grow">{kind.title}</span>
      <button
        type="button"
        class="main"
        aria-label={words.runLabel(kind.title)}
        aria-disabled={isBusy}
        onClick={() => void run()}
      >
        {isBusy ? words.running : words.run}
      </button>
      <button type="button" aria-label={words.fillLabel(kind.title)} onClick={() => onFill(draft)}>
        {words.fill}
      </button>
    </li>
  );
}

/** One click to a running job; a NO or a refusal shows itself in place of the offers. */
async function askAndAccept(draft: Draft): Promise<void> {
  await ask(documentOf(draft));
  const { value: now } = conversation;
  const first = now.kind === 'yes' ? now.offers[0] : undefined;
  if (first !== undefined) await accept(first.offer);
}
