import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { heldNow } from './ask/conversation.ts';
import { startDraft } from './ask/draft.ts';
import { OfferScreen } from './offers/offer-screen.tsx';
import { AskScreen } from './ask/screen.tsx';
import { placeOf } from './api.ts';
import { Lazy } from './frame/lazy.tsx';
import { SignInOver } from './frame/sign-in-over.tsx';
import { JobPart } from './jobs/job-part.tsx';
import { Page } from './page.tsx';
import { route } from './router.ts';
import type { Route } from './route.ts';
import { readSite, site } from './site-of.ts';
import { TroubleBox } from './trouble-box.tsx';
import type { Trouble } from './client.ts';
import { isOperator, nameOfUser } from './who.ts';
import { WORDS } from './words.ts';
import { ZoneChoice } from './zone.tsx';

/** The page: header, the screen of the address, footer. */
export function Shell() {
  const words = WORDS.shell;
  return (
    <>
      <header>
        <a
          class="skip"
          href="#main"
          onClick={(event) => {
            // The part behind # is the screen.
            event.preventDefault();
            document.querySelector<HTMLElement>('main')?.focus();
          }}
        >
          {words.skip}
        </a>
        <a class="brand" href="#/ask">
          {site.value.name}
        </a>
        <Navigation now={route.value.screen} />
        <ZoneChoice />
      </header>
      <main tabIndex={-1}>
        <SignInOver />
        <Loaded />
      </main>
      <footer>
        <a href={placeOf('docs', 'index')}>{words.documents}</a>
        <a href={placeOf('docs')}>{words.contract}</a>
      </footer>
    </>
  );
}

/** Nothing is shown of a site that is not known yet: an empty list would look like an answer. */
function Loaded() {
  const state = useSignal<'waiting' | 'there' | Trouble>('waiting');
  const read = async (): Promise<void> => {
    state.value = (await readSite()) ?? 'there';
    startDraft();
  };
  useEffect(() => void read(), []);
  if (state.value === 'there') return <Screen now={route.value} />;
  return (
    <Page title={titleOf(route.value)} isComing>
      {state.value === 'waiting' ? (
        <p class="loading">{WORDS.shell.loading}</p>
      ) : (
        <TroubleBox trouble={state.value} again={() => void read()} />
      )}
    </Page>
  );
}

function Navigation({ now }: { readonly now: Route['screen'] }) {
  const words = WORDS.shell;
  const open = heldNow.value.length;
  return (
    <nav aria-label={words.navigation}>
      <Tab href="#/ask" isHere={['ask', 'answer', 'offer', 'explanation'].includes(now)}>
        {words.ask}
        {open > 0 && (
          <span class="count">
            {open}
            <span class="unseen">{words.open(open)}</span>
          </span>
        )}
      </Tab>
      <Tab href="#/calendar" isHere={now === 'calendar'}>
        {words.calendar}
      </Tab>
      <Tab href="#/jobs" isHere={now === 'jobs' || now === 'job'}>
        {words.jobs}
      </Tab>
      {isOperator() && (
        <Tab href="#/site" isHere={now === 'site' || now === 'offers'}>
          {words.site}
        </Tab>
      )}
      <Tab href="#/me" isHere={now === 'me'}>
        {nameOfUser() ?? words.me}
      </Tab>
    </nav>
  );
}

function Tab({
  href,
  isHere,
  children,
}: {
  readonly href: string;
  readonly isHere: boolean;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <a href={href} aria-current={isHere ? 'page' : undefined}>
      {children}
    </a>
  );
}

function Screen({ now }: { readonly now: Route }) {
  const title = titleOf(now);
  switch (now.screen) {
    case 'ask':
      return <AskScreen fields={now.fields} />;
    case 'answer':
      return <AskScreen ident={now.ident} />;
    case 'offer':
      return <OfferScreen key={now.ident} ident={now.ident} />;
    case 'job':
      return <JobPart key={now.ident} ident={now.ident} />;
    case 'jobs':
    case 'site':
    case 'offers':
    case 'me':
    case 'calendar':
    case 'explanation':
      return <Lazy key={now.screen} title={title} load={PARTS[now.screen]} />;
    case 'unknown':
      return (
        <Page title={title}>
          <p>{WORDS.shell.unknownText}</p>
          <p>
            <a href="#/ask">{WORDS.shell.toAsk}</a>
          </p>
        </Page>
      );
  }
}

/** Screens that are loaded later. */
const PARTS = {
  jobs: () => import('./jobs/list.tsx').then((part) => part.default),
  site: () => import('./site/screen.tsx').then((part) => part.default),
  offers: () => import('./offers/screen.tsx').then((part) => part.default),
  me: () => import('./me/screen.tsx').then((part) => part.default),
  calendar: () => import('./calendar/screen.tsx').then((part) => part.default),
  explanation: () => import('./explain/screen.tsx').then((part) => part.default),
};

/** The heading of a screen before it knows what it shows. */
function titleOf({ screen }: Route): string {
  switch (screen) {
    case 'ask':
    case 'answer':
      return WORDS.ask.title;
    case 'offer':
      return WORDS.offers.one;
    case 'explanation':
      return WORDS.offers.how;
    case 'job':
      return WORDS.job.title;
    case 'calendar':
    case 'jobs':
    case 'me':
    case 'offers':
    case 'site':
    case 'unknown':
      return WORDS.shell[screen];
  }
}
