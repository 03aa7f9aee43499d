import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Page } from '../page.tsx';
import { route } from '../router.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { ask, conversation, leaveAnswer, showUnseen } from './conversation.ts';
import type { Draft } from './document.ts';
import { draft } from './draft.ts';
import { DryRun, isTried, tryOut } from './tried-out.tsx';
import { AskForm } from './form.tsx';
import { Offers } from '../offers/offers.tsx';
import { OpenOffers } from '../offers/open-list.tsx';
import { prefilled } from './prefill.ts';
import { Refusal } from './refusal.tsx';
import { useAnswer } from './use-answer.ts';
import { Welcome } from './welcome.tsx';

type Props = {
  readonly fields?: URLSearchParams | undefined;
  /** of the answer that is shown */
  readonly ident?: string;
};

/** The screen to ask, with the answer beside the form. */
export function AskScreen({ fields, ident }: Props) {
  const { trouble, again } = useAnswer(ident);
  // What somebody asks for meanwhile is shown all the same.
  const isUnread = trouble !== undefined && conversation.value.kind === 'none';
  // The screen to ask is for the next ask; its answer has an address of its own.
  useLayoutEffect(() => {
    if (ident !== undefined || conversation.value.kind === 'asking') return;
    const isForm = fields === undefined || fields.size === 0;
    if (!isForm || !showUnseen()) leaveAnswer();
  }, [route.value]);
  useEffect(() => {
    if (fields === undefined) return;
    draft.value = prefilled(draft.value, fields);
    if (fields.has('check')) void tryOut(draft.value);
  }, [fields]);
  return (
    <Page title={WORDS.ask.title}>
      <p>{WORDS.ask.lead}</p>
      <div class="columns">
        <AskForm draft={draft} />
        {isUnread ? <TroubleBox trouble={trouble} again={again} /> : <Answer />}
      </div>
    </Page>
  );
}

function Answer() {
  const { value: now } = conversation;
  const place = useRef<HTMLDivElement>(null);
  const fill = (next: Draft): void => {
    draft.value = next;
  };
  // An answer below the form must not go unnoticed.
  useLayoutEffect(() => {
    if (now.kind === 'yes' || now.kind === 'no')
      place.current?.querySelector<HTMLElement>('h2')?.focus();
  }, [now.kind === 'yes' || now.kind === 'no' ? now.ident : undefined]);
  return (
    <div ref={place} aria-busy={now.kind === 'asking'}>
      {now.kind === 'none' && isTried() && <DryRun onFill={fill} />}
      {now.kind === 'none' && <OpenOffers />}
      {now.kind === 'none' && !isTried() && <Welcome onFill={fill} />}
      {now.kind === 'asking' && (
        <p class="card" role="status">
          {WORDS.ask.asking}
        </p>
      )}
      {now.kind === 'failed' && (
        <TroubleBox trouble={now.trouble} again={() => void ask(now.ask, now.key)} />
      )}
      {now.kind === 'yes' && <Offers yes={now} />}
      {now.kind === 'no' && <Refusal no={now} onFill={fill} />}
    </div>
  );
}
