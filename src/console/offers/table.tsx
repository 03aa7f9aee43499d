import { isHeld, type HeldOffer } from '../ask/conversation.ts';
import { EndOffer } from './end-offer.tsx';
import { getsText } from './gets.ts';
import { kindTitle } from '../ask/kind-title.ts';
import { secondsUntil } from '../clock.ts';
import type { Documents } from '../contract.ts';
import { DataTable } from '../lists/data-table.tsx';
import { seenName } from '../lists/seen-name.ts';
import { clockText, shown } from '../time.ts';
import type { Trouble } from '../client.ts';
import { WORDS } from '../words.ts';
import { SITE } from '../words/site.ts';
import { zone } from '../zone.tsx';

type Offer = Documents['Offer'];
type Props = {
  readonly rows: readonly HeldOffer[];
  readonly isOwnerShown: boolean;
  readonly onEnd: (trouble: Trouble | undefined) => void;
};

/** Offers: whose, what, where, when, and how long they are held. */
export function OfferTable({ rows, isOwnerShown, onEnd }: Props) {
  const { columns, none, title } = SITE.offers;
  return (
    <section class="card" aria-label={title}>
      <DataTable
        label={title}
        none={none}
        columns={[
          columns.name,
          ...(isOwnerShown ? [columns.owner] : []),
          columns.where,
          columns.state,
          columns.start,
          columns.gets,
          columns.actions,
        ]}
        rows={rows.map(({ offer, end }) => ({
          key: offer.ident,
          cells: [
            <Name offer={offer} />,
            ...(isOwnerShown ? [offer.identity.user ?? WORDS.jobs.nobody] : []),
            offer.destination,
            <State held={{ offer, end }} />,
            shown(Date.parse(offer.time.start), zone.value),
            getsText(offer.request.resources.compute),
            <EndOffer offer={offer} onEnd={onEnd} />,
          ],
        }))}
      />
    </section>
  );
}

/** An open offer has its answer, and an accepted one its job. */
function Name({ offer }: { readonly offer: Offer }) {
  const { ident, status, request } = offer;
  const isOffer = ['OFFERED', 'REJECTED', 'EXPIRED'].includes(status);
  return (
    <>
      <a href={isOffer ? `#/offers/${ident}` : `#/jobs/${ident}`}>
        {seenName(request.name) ?? `… ${ident.slice(-12)}`}
      </a>
      <br />
      <small>{kindTitle(request.task.type)}</small>
    </>
  );
}

/** Renders itself as the time of an open offer passes. */
function State({ held }: { readonly held: HeldOffer }) {
  const { states, left } = SITE.offers;
  return (
    <>
      {states[held.offer.status]}
      {isHeld(held) && (
        <>
          <br />
          <small class="steady">{left(clockText(secondsUntil(held.end)))}</small>
        </>
      )}
    </>
  );
}
