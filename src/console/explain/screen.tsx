import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, outcomeOf, type Outcome } from '../api.ts';
import type { Documents } from '../contract.ts';
import { Page } from '../page.tsx';
import { route } from '../router.ts';
import { shown } from '../time.ts';
import type { Trouble } from '../client.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { EXPLANATION } from '../words/explanation.ts';
import { zone } from '../zone.tsx';
import { Seen } from './seen-list.tsx';
import { Share } from './share.tsx';
import { Steps } from './steps.tsx';
import { VerdictList } from './verdict-list.tsx';
import { orderOf, verdictsOf } from './verdicts.ts';

type Explanation = Documents['Explanation'];
type Props = { readonly of: 'asks' | 'offers'; readonly ident: string };

/** How an answer came about, for readers who know nothing of rules. */
export default function ExplanationScreen() {
  const { value: now } = route;
  return now.screen === 'explanation' ? (
    <ExplanationOf key={`${now.of} ${now.ident}`} of={now.of} ident={now.ident} />
  ) : null;
}

function ExplanationOf({ of, ident }: Props) {
  const state = useSignal<Explanation | Trouble | undefined>(undefined);
  const read = async (): Promise<void> => {
    state.value = undefined;
    const outcome = await readExplanation({ of, ident });
    state.value = outcome.ok ? outcome.data.explanation : outcome.trouble;
  };
  useEffect(() => void read(), []);
  const { value: now } = state;
  return (
    <Page title={EXPLANATION.title}>
      {now === undefined && <p class="loading">{WORDS.shell.loading}</p>}
      {now !== undefined &&
        ('candidates' in now ? (
          <Found explanation={now} />
        ) : (
          <Refused trouble={now} again={() => void read()} />
        ))}
    </Page>
  );
}

function readExplanation({
  of,
  ident,
}: Props): Promise<Outcome<{ readonly explanation: Explanation }>> {
  const params = { path: { ident } };
  return of === 'asks'
    ? outcomeOf(api.GET('/asks/{ident}/explain', { params }))
    : outcomeOf(api.GET('/offers/{ident}/explain', { params }));
}

/** The service does not tell strangers whether there is such an answer. */
function Refused({ trouble, again }: { readonly trouble: Trouble; readonly again: () => void }) {
  const isStranger = [401, 403, 404].includes(trouble.status);
  return (
    <>
      <TroubleBox trouble={trouble} again={isStranger ? undefined : again} />
      {isStranger && <p>{EXPLANATION.stranger}</p>}
      <p>
        <a href="#/ask">{WORDS.shell.toAsk}</a>
      </p>
    </>
  );
}

function Found({ explanation }: { readonly explanation: Explanation }) {
  const words = EXPLANATION;
  const { ident, rules, inputs, trace } = explanation;
  const verdicts = verdictsOf(explanation);
  return (
    <>
      <Lead
        explanation={explanation}
        allowed={verdicts.filter(({ kind }) => kind !== 'unfit').length}
      />
      <div class="columns">
        <VerdictList explanation={explanation} verdicts={verdicts} />
        <div>
          <Seen inputs={inputs} />
          <section class="card" aria-labelledby="order">
            <h2 id="order">{words.order.title}</h2>
            <p>{words.order[orderOf(verdicts)]}</p>
          </section>
          <section class="card" aria-labelledby="replay">
            <h2 id="replay">{words.replay.title}</h2>
            <p>{words.replay[rules.replay]}</p>
            <p>
              <small>
                {words.digest} <code>{rules.digest.slice(0, 12)}</code>
              </small>
            </p>
          </section>
          <Share ident={ident} isAnonymous={explanation.identity.type === 'anonymous'} />
        </div>
      </div>
      <Steps steps={trace} />
    </>
  );
}

function Lead({
  explanation: { ident, identity, asked, result, candidates },
  allowed,
}: {
  readonly explanation: Explanation;
  readonly allowed: number;
}) {
  const words = EXPLANATION;
  return (
    <p>
      <span class={result === 'YES' ? 'yes' : 'no'}>{result}</span>{' '}
      {words.asked(identity.user ?? words.somebody, shown(Date.parse(asked), zone.value))}{' '}
      {candidates.length > 0 && words.count(candidates.length, allowed)}{' '}
      <a href={`#/asks/${ident}`}>{words.toAsk}</a>
    </p>
  );
}
