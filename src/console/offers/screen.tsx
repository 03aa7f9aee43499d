import { api, outcomeOf, type Outcome } from '../api.ts';
import { heldOffer, readOpenOffers, type HeldOffer } from '../ask/conversation.ts';
import { Choice, OwnerFilter } from '../lists/filters.tsx';
import { Older } from '../lists/older.tsx';
import { Page } from '../page.tsx';
import { PAGE, usePages } from '../lists/pages.ts';
import { addressOf } from '../route.ts';
import { renameAddress, route } from '../router.ts';
import { site } from '../site-of.ts';
import { Said, useSaid } from '../lists/said.tsx';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { SITE } from '../words/site.ts';
import { offerFilterOf, offerQueryOf, STATE_GROUPS, type OfferFilter } from './filter.ts';
import { OfferTable } from './table.tsx';

/** Offers, the latest first, with filters in the address; each can be given back from here. */
export default function OffersScreen() {
  const words = SITE.offers;
  const filter = offerFilterOf(
    route.value.screen === 'offers' ? route.value.fields : new URLSearchParams(),
  );
  const { rows, next, trouble, read, more } = usePages(JSON.stringify(filter), (cursor) =>
    readPage(filter, cursor),
  );
  const said = useSaid(() => {
    read();
    void readOpenOffers();
  });
  return (
    <Page title={words.title}>
      <Filters filter={filter} />
      <Said said={said} />
      {trouble !== undefined && <TroubleBox trouble={trouble} again={read} />}
      {rows === undefined && trouble === undefined && <p>{WORDS.shell.loading}</p>}
      {rows !== undefined && (
        <OfferTable rows={rows} isOwnerShown={filter.owner !== ''} onEnd={said.tell} />
      )}
      <Older count={rows?.length ?? 0} isMore={next !== undefined} onMore={more} />
    </Page>
  );
}

function Filters({ filter }: { readonly filter: OfferFilter }) {
  const words = SITE.offers;
  const change = (part: Partial<OfferFilter>): void =>
    renameAddress(addressOf('offers', { ...filter, ...part }));
  return (
    <form class="row filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label={words.state}
        value={filter.state}
        unset={words.open}
        choices={[...STATE_GROUPS.keys()]}
        onChoice={(state) => change({ state })}
      />
      <Choice
        label={WORDS.jobs.destination}
        value={filter.destination}
        unset={WORDS.jobs.any}
        choices={site.value.destinations}
        onChoice={(destination) => change({ destination })}
      />
      <OwnerFilter owner={filter.owner} onOwner={(owner) => change({ owner })} />
    </form>
  );
}

async function readPage(
  filter: OfferFilter,
  after: string | undefined,
): Promise<Outcome<{ readonly rows: readonly HeldOffer[]; readonly next: string | undefined }>> {
  const query = { ...offerQueryOf(filter), limit: PAGE, ...(after !== undefined && { after }) };
  const outcome = await outcomeOf(api.GET('/offers', { params: { query } }));
  if (!outcome.ok) return outcome;
  const { offers, next } = outcome.data;
  return { ...outcome, data: { rows: offers.map(heldOffer), next } };
}
