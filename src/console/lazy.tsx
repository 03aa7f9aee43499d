import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { WORDS } from './words.ts';

type State = 'waiting' | 'failed' | { readonly Part: ComponentType<object> };

/** A screen besides the first one: its script is loaded when somebody opens it. */
export function Lazy({ load }: { readonly load: () => Promise<ComponentType<object>> }) {
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
  if (state.value === 'waiting') return <p class="loading">{WORDS.shell.loading}</p>;
  if (state.value !== 'failed') return <state.value.Part />;
  return (
    <div class="card trouble" role="alert">
      <p>{WORDS.shell.moved}</p>
      <button type="button" onClick={() => location.reload()}>
        {WORDS.shell.reload}
      </button>
    </div>
  );
}
