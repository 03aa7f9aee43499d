import { useId } from 'preact/hooks';
import { Choice, OwnerFilter, SearchField } from '../lists/filters.tsx';
import { addressOf } from '../route.ts';
import { renameAddress } from '../router.ts';
import { site } from '../site-of.ts';
import type { Instant } from '../time.ts';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { days, fieldsOf, PHASE_GROUPS, type JobFilter } from './list-filter.ts';

/** The filters of the job list; they are in the address, so a link has them. */
export function JobFilters({ filter }: { readonly filter: JobFilter }) {
  const words = WORDS.jobs;
  const change = (part: Partial<JobFilter>): void =>
    renameAddress(addressOf('jobs', fieldsOf({ ...filter, ...part })));
  return (
    <form class="row filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label={words.phase}
        unset={words.any}
        value={filter.phase}
        choices={Object.keys(PHASE_GROUPS)}
        onChoice={(phase) => change({ phase })}
      />
      <Choice
        label={words.destination}
        unset={words.any}
        value={filter.destination}
        choices={site.value.destinations}
        onChoice={(destination) => change({ destination })}
      />
      <SearchField label={words.name} value={filter.name} onText={(name) => change({ name })} />
      <DayField
        label={words.since}
        instant={filter.since}
        onInstant={(since) => change({ since })}
      />
      <DayField
        label={words.endedSince}
        instant={filter.ended}
        onInstant={(ended) => change({ ended })}
      />
      <OwnerFilter owner={filter.owner} onOwner={(owner) => change({ owner })} />
    </form>
  );
}

type DayProps = {
  readonly label: string;
  /** the first moment of the day */
  readonly instant: Instant | undefined;
  readonly onInstant: (instant: Instant | undefined) => void;
};

function DayField({ label, instant, onInstant }: DayProps) {
  const id = useId();
  return (
    <label for={id}>
      {label}
      <input
        id={id}
        type="date"
        value={days.textOf(instant, zone.value)}
        onInput={({ currentTarget: { value } }) => onInstant(days.instantOf(value, zone.value))}
      />
    </label>
  );
}
