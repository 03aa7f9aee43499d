import { useSignal } from '@preact/signals';
import type { Documents } from '../contract.ts';
import type { Trouble } from '../client.ts';
import { Page } from '../page.tsx';
import { round, shown } from '../time.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { readMe, who } from '../who.ts';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { Programs } from './programs.tsx';
import { SignInCard } from './sign-in.tsx';
import { SignIns } from './sign-ins.tsx';
import { signOut } from './sign-out.ts';

/** Who the user is, what is left of the quotas, and the ways to sign in. */
export default function MeScreen() {
  const { value: now } = who;
  return (
    <Page title={WORDS.me.title}>
      {now.kind === 'unknown' && <p role="status">{WORDS.shell.loading}</p>}
      {now.kind === 'failed' && now.trouble.status !== 401 && (
        <TroubleBox trouble={now.trouble} again={() => void readMe()} />
      )}
      {now.kind === 'failed' && now.trouble.status === 401 && (
        <>
          <SignInCard />
          <Programs />
        </>
      )}
      {now.kind === 'known' && <Known me={now.me} />}
    </Page>
  );
}

function Known({ me }: { readonly me: Documents['Me'] }) {
  const words = WORDS.me;
  const isAnonymous = me.identity.type === 'anonymous';
  return (
    <div class="columns">
      <div>
        <section class="card" aria-labelledby="who">
          <h2 id="who">{isAnonymous ? words.anonymous : me.identity.user}</h2>
          {isAnonymous ? (
            <p>{words.anonymousText}</p>
          ) : (
            <dl class="facts">
              <Fact name={words.roles} value={me.roles.join(', ') || words.none} />
              {me.administrator && <Fact name={words.may} value={words.administrator} />}
              {me.identity.issuer !== undefined && (
                <Fact name={words.issuer} value={me.identity.issuer} />
              )}
              {me.until !== undefined && (
                <Fact name={words.until} value={shown(Date.parse(me.until), zone.value)} />
              )}
            </dl>
          )}
          {!isAnonymous && <SignOut />}
        </section>
        {isAnonymous && <SignInCard />}
        {!isAnonymous && <SignIns />}
        <Programs />
      </div>
      <Quotas lines={me.quotas} />
    </div>
  );
}

/** A sign-in that goes on must not look as if it were over. */
function SignOut() {
  const trouble = useSignal<Trouble | undefined>(undefined);
  const end = async (): Promise<void> => {
    trouble.value = await signOut();
  };
  return (
    <>
      <button type="button" onClick={() => void end()}>
        {WORDS.me.signOut}
      </button>
      {trouble.value !== undefined && <TroubleBox trouble={trouble.value} />}
    </>
  );
}

function Quotas({ lines }: { readonly lines: readonly Documents['QuotaLine'][] }) {
  const words = WORDS.me;
  return (
    <section class="card" aria-labelledby="quotas">
      <h2 id="quotas">{words.quotas}</h2>
      {lines.length === 0 && <p>{words.noQuotas}</p>}
      <ul class="plain">
        {lines.map((line) => (
          <QuotaItem
            key={`${line.for} ${line.name} ${line.limit} ${line.destination}`}
            line={line}
          />
        ))}
      </ul>
    </section>
  );
}

/** One limit, and how much of it is used. */
function QuotaItem({ line }: { readonly line: Documents['QuotaLine'] }) {
  const words = WORDS.me;
  const isShare = line.limit === 'share';
  const text = (value: number): string => (isShare ? `${round(value * 100)} %` : round(value));
  const name = words.limits[line.limit];
  return (
    <li class="quota">
      <span class="row">
        <span class="grow">
          {name}
          {line.destination !== undefined && ` ${words.at(line.destination)}`}{' '}
          <small>{[words.for[line.for], line.name].filter(Boolean).join(' ')}</small>
        </span>
        <span class="steady">{words.of(text(line.used), text(line.most))}</span>
      </span>
      <progress
        value={line.used}
        max={line.most}
        aria-label={`${name}: ${words.of(text(line.used), text(line.most))}`}
        class={line.used >= line.most ? 'soon' : undefined}
      />
    </li>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
