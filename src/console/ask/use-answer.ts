import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { api, outcomeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import type { Trouble } from '../client.ts';
import { route } from '../router.ts';
import { conversation, leaveAnswer, showAnswer } from './conversation.ts';
import { draftOf } from './document.ts';
import { draft } from './draft.ts';
import { unwrapped } from './unwrapped.ts';

/** Shows the answer of an address: after a reload the page knows its id only. */
export function useAnswer(ident: string | undefined): {
  /** why it cannot be read */
  readonly trouble: Trouble | undefined;
  readonly again: () => void;
} {
  const trouble = useSignal<Trouble | undefined>(undefined);
  const tries = useSignal(0);
  // At once: later, somebody may have asked for something else already. Whenever the address
  // changed, also to the same answer: who steps back in the moment of the next one never left.
  useLayoutEffect(() => {
    trouble.value = undefined;
    if (ident === undefined || isShown(ident)) return;
    let isOver = false;
    void outcomeOf(api.GET('/asks/{ident}', { params: { path: { ident } } })).then((outcome) => {
      if (isOver || conversation.value.kind === 'asking') return;
      if (!outcome.ok) {
        leaveAnswer();
        trouble.value = outcome.trouble;
        return;
      }
      const { document, answer } = outcome.data.ask;
      const asked = askOf(document, answer);
      if (asked !== undefined) draft.value = draftOf(asked);
      showAnswer(asked ?? { task: { type: '' } }, answer);
    });
    return () => {
      isOver = true;
    };
  }, [route.value, tries.value]);
  return {
    trouble: trouble.value,
    again: () => {
      tries.value += 1;
    },
  };
}

function isShown(ident: string): boolean {
  const { value: now } = conversation;
  return (now.kind === 'yes' || now.kind === 'no') && now.ident === ident;
}

/** What was asked, in the page's vocabulary; an ask in another one is told by its first offer. */
function askOf(
  document: Readonly<Record<string, unknown>> | undefined,
  answer: Documents['Answer'],
): Documents['Ask'] | undefined {
  const asked: Readonly<Record<string, unknown>> = Object(unwrapped(document));
  const { type, spec } = Object(asked['task']);
  if (typeof type === 'string') return { ...asked, task: { type, spec: Object(spec) } };
  return 'offers' in answer ? answer.offers[0]?.request : undefined;
}
