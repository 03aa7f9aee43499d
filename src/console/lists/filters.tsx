import { useEffect, useId, useRef } from 'preact/hooks';
import { screenNow } from '../router.ts';
import { isOperator } from '../who.ts';
import { WORDS } from '../words.ts';

/** While somebody types, each letter is no request of its own. */
const QUIET_MS = 300;
const EVERYBODY = '*';

type ChoiceProps = {
  readonly label: string;
  readonly value: string;
  /** what the empty value means */
  readonly unset: string;
  readonly choices: readonly string[];
  readonly onChoice: (value: string) => void;
};

/** A filter with few values; the empty one is none of them. */
export function Choice({ label, value, unset, choices, onChoice }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChoice(currentTarget.value)}>
        <option value="">{unset}</option>
        {[...new Set([...choices, ...(value === '' ? [] : [value])])].map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}

type SearchProps = {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
};

/** A filter for a text; it works shortly after the last letter. */
export function SearchField({ label, value, onText }: SearchProps) {
  const id = useId();
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Another filter may change before this one works, or somebody may open another screen, which
  // takes this one's place once it is loaded.
  const latest = useRef(onText);
  latest.current = onText;
  useEffect(() => () => clearTimeout(typing.current), []);
  return (
    <label for={id}>
      {label}
      <input
        id={id}
        type="search"
        value={value}
        onInput={({ currentTarget: { value: text } }) => {
          clearTimeout(typing.current);
          const screen = screenNow();
          typing.current = setTimeout(() => {
            if (screenNow() === screen) latest.current(text);
          }, QUIET_MS);
        }}
      />
    </label>
  );
}

type OwnerProps = {
  /** a user, `*` for everybody, or the empty text for the client itself */
  readonly owner: string;
  readonly onOwner: (owner: string) => void;
};

/** Whose records a list has; administrators alone may see those of others. */
export function OwnerFilter({ owner, onOwner }: OwnerProps) {
  const words = WORDS.jobs;
  if (!isOperator()) return null;
  return (
    <>
      <SearchField label={words.owner} value={owner === EVERYBODY ? '' : owner} onText={onOwner} />
      <label>
        <input
          type="checkbox"
          checked={owner === EVERYBODY}
          onChange={({ currentTarget: { checked } }) => onOwner(checked ? EVERYBODY : '')}
        />{' '}
        {words.everybody}
      </label>
    </>
  );
}
