import { useId } from 'preact/hooks';
import { addressOf } from '../route.ts';
import { renameAddress } from '../router.ts';
import { site } from '../site-of.ts';
import { who } from '../who.ts';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { days, fieldsOf, PHASE_GROUPS, type JobFilter } from './list-filter.ts';

/** While somebody types a name, each letter is no request of its own. */
const QUIET_MS = 300;
let typing: ReturnType<typeof setTimeout> | undefined;

/** The filters of the job list; they are in the address, so a link has them. */
export function JobFilters({ filter }: { readonly filter: JobFilter }) {
  const words = WORDS.jobs;
  const id = useId();
  const change = (part: Partial<JobFilter>): void =>
    renameAddress(addressOf('jobs', fieldsOf({ ...filter, ...part })));
  const isAdministrator = who.value.kind === 'known' && who.value.me.administrator;
  return (
    <form class="row filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label={words.phase}
        value={filter.phase}
        choices={Object.keys(PHASE_GROUPS)}
        onChoice={(phase) => change({ phase })}
      />
      <Choice
        label={words.destination}
        value={filter.destination}
        choices={site.value.destinations}
        onChoice={(destination) => change({ destination })}
      />
      <label for={`${id}-name`}>
        {words.name}
        <input
          id={`${id}-name`}
          type="search"
          value={filter.name}
          onInput={({ currentTarget: { value } }) => {
            clearTimeout(typing);
            typing = setTimeout(() => change({ name: value }), QUIET_MS);
          }}
        />
      </label>
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
      {isAdministrator && (
        <label>
          <input
            type="checkbox"
            checked={filter.owner === '*'}
            onChange={({ currentTarget: { checked } }) => change({ owner: checked ? '*' : '' })}
          />{' '}
          {words.everybody}
        </label>
      )}
    </form>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly string[];
  readonly onChoice: (value: string) => void;
};

function Choice({ label, value, choices, onChoice }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChoice(currentTarget.value)}>
        <option value="">{WORDS.jobs.any}</option>
        {[...new Set([...choices, ...(value === '' ? [] : [value])])].map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}
