import { useEffect } from 'preact/hooks';
import { serviceNow } from '../clock.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { lengthText, secondsOf, shown } from '../time.ts';
import { isOfOthers } from '../who.ts';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import {
  accept,
  ask,
  giveBack,
  isHeld,
  readOffers,
  updateTrouble,
  type Conversation,
  type HeldOffer,
} from '../ask/conversation.ts';
import { Announcement, Countdown } from './countdown.tsx';
import { underWay } from './deciding.ts';
import { EndPart } from './end-part.tsx';
import { getsText } from './gets.ts';
import { shortTypeOf } from '../words/short-type.ts';

type Yes = Extract<Conversation, { kind: 'yes' }>;

/** The offers of a YES: how long they are held, and what can be done with them. */
export function Offers({ yes }: { readonly yes: Yes }) {
  const words = WORDS.offers;
  const held = yes.offers.filter(isHeld);
  const winner = yes.offers.find(
    ({ offer }) => !['OFFERED', 'REJECTED', 'EXPIRED'].includes(offer.status),
  );
  useReadWhenSeen();
  return (
    <section aria-labelledby="answer">
      <h2 id="answer" tabIndex={-1} class="answer">
        <span class="yes">{words.yes}</span> {words.count(yes.offers.length)}
      </h2>
      {updateTrouble.value !== undefined && <TroubleBox trouble={updateTrouble.value} />}
      <Announcement
        key={yes.ident}
        end={held.length > 0 ? Math.min(...held.map(({ end }) => end)) : 0}
        isDecided={winner !== undefined}
      />
      {held.length > 0 ? (
        <p>
          {words.hint} <a href={`#/asks/${yes.ident}/explain`}>{words.how}</a>
        </p>
      ) : (
        <NoneHeld yes={yes} winner={winner} />
      )}
      <ul class="plain">
        {yes.offers.map((each, index) => (
          <OfferCard key={each.offer.ident} held={each} isFirst={index === 0} />
        ))}
      </ul>
      <p class="row">
        {held.length > 0 && !held.some(({ offer }) => isOfOthers(offer.identity.user)) && (
          <button
            type="button"
            aria-disabled={underWay.value !== undefined}
            onClick={() => void giveBack(yes.ident, held)}
          >
            {underWay.value === yes.ident ? WORDS.shell.busy(words.giveAllBack) : words.giveAllBack}
          </button>
        )}
        <button type="button" onClick={() => void ask(yes.ask)}>
          {words.askAgain}
        </button>
      </p>
    </section>
  );
}

type CardProps = {
  readonly held: HeldOffer;
  readonly isFirst?: boolean;
  /** an administrator gave it back; it has another state */
  readonly onEnd?: () => void;
  readonly heading?: 'h2' | 'h3';
};

/** One offer. */
export function OfferCard({
  held,
  isFirst = false,
  onEnd = () => void readOffers(),
  heading: Heading = 'h3',
}: CardProps) {
  const { offer, end } = held;
  const words = WORDS.offers;
  const start = startText(offer.time.start);
  const isAccepting = underWay.value === offer.ident;
  return (
    <li class="card offer">
      <Heading>
        {offer.destination} {isFirst && <span class="tag">{words.first}</span>}
      </Heading>
      <dl class="facts">
        <Fact name={words.starts} value={start} />
        <Fact name={words.run} value={lengthText(secondsOf(offer.time.duration) ?? 0)} />
        <Fact name={words.gets} value={getsText(offer.request.resources.compute)} />
        {offer.costs?.map(({ type, min, max }) => (
          <Fact
            key={type}
            name={words.costs}
            value={`${min === max ? max : `${min} – ${max}`} ${shortTypeOf(type)}`}
          />
        ))}
      </dl>
      <div class="row">
        {isHeld(held) ? (
          <>
            <Countdown end={end} />
            {isOfOthers(offer.identity.user) ? (
              <EndPart
                offer={offer}
                onEnd={(trouble) => {
                  updateTrouble.value = trouble;
                  onEnd();
                }}
              />
            ) : (
              <button
                type="button"
                class="main"
                aria-label={isAccepting ? undefined : words.acceptLabel(offer.destination, start)}
                aria-disabled={underWay.value !== undefined}
                onClick={() => void accept(offer)}
              >
                {isAccepting ? WORDS.shell.busy(words.accept) : words.accept}
              </button>
            )}
          </>
        ) : (
          <OfferState offer={offer} />
        )}
      </div>
    </li>
  );
}

/** A start in words: `now`, or its time. */
export function startText(start: string): string {
  const instant = Date.parse(start);
  // The service's offers of `now` start at the moment of the decision.
  return instant <= serviceNow() + 60_000 ? WORDS.offers.now : shown(instant, zone.value);
}

function NoneHeld({ yes, winner }: { readonly yes: Yes; readonly winner: HeldOffer | undefined }) {
  const words = WORDS.offers;
  return winner === undefined ? (
    <p>
      <strong>{words.allOver}.</strong> {words.allOverText}
    </p>
  ) : (
    <p>
      <a href={`#/jobs/${winner.offer.ident}`}>{words.toJob}</a>{' '}
      <a href={`#/asks/${yes.ident}/explain`}>{words.how}</a>
    </p>
  );
}

function OfferState({ offer }: Pick<HeldOffer, 'offer'>) {
  const words = WORDS.offers;
  switch (offer.status) {
    case 'OFFERED':
    case 'EXPIRED':
      return <span class="over">{words.states.EXPIRED}</span>;
    case 'REJECTED':
      return <span class="over">{words.states.REJECTED}</span>;
    default:
      return <a href={`#/jobs/${offer.ident}`}>{words.toJob}</a>;
  }
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Another tab may have decided while this one was hidden, and clocks of sleeping machines stop. */
function useReadWhenSeen(): void {
  useEffect(() => {
    const read = (): void => {
      if (document.visibilityState === 'visible') void readOffers();
    };
    document.addEventListener('visibilitychange', read);
    addEventListener('focus', read);
    return () => {
      document.removeEventListener('visibilitychange', read);
      removeEventListener('focus', read);
    };
  }, []);
}
