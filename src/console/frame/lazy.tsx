import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Page } from '../page.tsx';
import { WORDS } from '../words.ts';

type State = 'waiting' | 'failed' | { readonly Part: ComponentType<object> };

type Props = {
  /** the heading until a screen brings its own; a part of a screen needs none */
  readonly title?: string;
  readonly load: () => Promise<ComponentType<object>>;
};

/** A screen, or a part of one, whose script is loaded when somebody opens it. */
export function Lazy({ title, load }: Props) {
  const state = useSignal<State>('waiting');
  useEffect(() => {
    load().then(
      (Part) => {
        state.value = { Part };
      },
      () => {
        state.value = 'failed';
      },
    );
  }, []);
  const { value: now } = state;
  if (now !== 'waiting' && now !== 'failed') return <now.Part />;
  const rest = now === 'waiting' ? <p class="loading">{WORDS.shell.loading}</p> : <Moved />;
  if (title === undefined) return rest;
  return (
    <Page title={title} isComing>
      {rest}
    </Page>
  );
}

function Moved() {
  return (
    <div class="card trouble" role="alert">
      <p>{WORDS.shell.moved}</p>
      <button type="button" onClick={() => location.reload()}>
        {WORDS.shell.reload}
      </button>
    </div>
  );
}
