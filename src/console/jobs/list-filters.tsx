import { useId } from 'preact/hooks';
import { Choice, OwnerFilter, SearchField } from '../lists/filters.tsx';
import { addressOf } from '../route.ts';
import { renameAddress } from '../router.ts';
import { site } from '../site-of.ts';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { days, fieldsOf, PHASE_GROUPS, type JobFilter } from './list-filter.ts';

/** The filters of the job list; they are in the address, so a link has them. */
export function JobFilters({ filter }: { readonly filter: JobFilter }) {
  const words = WORDS.jobs;
  const id = useId();
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
      <label for={`${id}-since`}>
        {words.since}
        <input
          id={`${id}-since`}
          type="date"
          value={days.textOf(filter.since, zone.value)}
          onInput={({ currentTarget: { value } }) =>
            change({ since: days.instantOf(value, zone.value) })
          }
        />
      </label>
      <OwnerFilter owner={filter.owner} onOwner={(owner) => change({ owner })} />
    </form>
  );
}
