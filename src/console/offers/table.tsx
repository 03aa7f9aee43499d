import { isHeld, type HeldOffer } from '../ask/conversation.ts';
import { EndOffer } from '../ask/end-offer.tsx';
import { getsText } from '../ask/gets.ts';
import { kindTitle } from '../ask/kind-title.ts';
import { secondsUntil } from '../clock.ts';
import type { Documents } from '../contract.ts';
import { DataTable } from '../lists/data-table.tsx';
import { clockText, shown } from '../time.ts';
import type { Trouble } from '../trouble.ts';
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
          columns.what,
          columns.where,
          columns.state,
          columns.start,
          columns.gets,
          columns.held,
          columns.actions,
        ]}
        rows={rows.map(({ offer, end }) => ({
          key: offer.ident,
          cells: [
            <Name offer={offer} />,
            ...(isOwnerShown ? [offer.identity.user ?? WORDS.jobs.nobody] : []),
            kindTitle(offer.request.task.type),
            offer.destination,
            SITE.offers.states[offer.status],
            shown(Date.parse(offer.time.start), zone.value),
            getsText(offer.request.resources.compute),
            <Held held={{ offer, end }} />,
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
    <a href={isOffer ? `#/offers/${ident}` : `#/jobs/${ident}`}>
      {request.name ?? `… ${ident.slice(-12)}`}
    </a>
  );
}

/** Renders itself as its time passes. */
function Held({ held }: { readonly held: HeldOffer }) {
  return <span class="steady">{isHeld(held) ? clockText(secondsUntil(held.end)) : ''}</span>;
}
