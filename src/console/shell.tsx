import { heldNow } from './ask/conversation.ts';
import { AskScreen } from './ask/screen.tsx';
import { placeOf } from './api.ts';
import { Page } from './page.tsx';
import { route } from './router.ts';
import type { Route } from './route.ts';
import { site } from './site-of.ts';
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
        <Screen now={route.value} />
      </main>
      <footer>
        <a href={placeOf('docs', 'index')}>{words.documents}</a>
        <a href={placeOf('docs')}>{words.contract}</a>
      </footer>
    </>
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
  switch (now.screen) {
    case 'ask':
    case 'answer':
      return <AskScreen />;
    default:
      return (
        <Page title={WORDS.shell.unknown}>
          <p>{WORDS.shell.unknownText}</p>
          <p>
            <a href="#/ask">{WORDS.shell.toAsk}</a>
          </p>
        </Page>
      );
  }
}
