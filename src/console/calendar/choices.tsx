import { Segments } from '../fields.tsx';
import { go, renameAddress } from '../router.ts';
import { CALENDAR_WORDS } from './words.ts';
import { RESOURCES } from './book.ts';
import { DAYS, earlier, later, type Part } from './range.ts';
import { horizonNow } from './reading.ts';
import { addressOfView, type View } from './picture/view.ts';

/** What the rows show, and how much time. */
export function Choices({ view, hasOwn }: { readonly view: View; readonly hasOwn: boolean }) {
  const words = CALENDAR_WORDS;
  const show = (change: Partial<View>): void =>
    renameAddress(addressOfView({ ...view, ...change }));
  return (
    <div class="row choices">
      {view.destination === undefined && (
        <Segments
          label={words.resource}
          choices={RESOURCES.map((value) => ({ value, text: words.resources[value] }))}
          value={view.resource}
          onChoice={(resource) => show({ resource })}
        />
      )}
      <Segments
        label={words.span}
        choices={DAYS.map((days) => ({ value: `${days}` as const, text: words.days[days] }))}
        value={`${view.days}`}
        onChoice={(text) => show({ days: DAYS.find((days) => `${days}` === text) ?? view.days })}
      />
      <span class="row">
        <Step text={words.earlier} view={view} part={earlier(view, horizonNow())} />
        <Step text={words.later} view={view} part={later(view, horizonNow())} />
      </span>
      <Legend hasOwn={hasOwn} />
    </div>
  );
}

/** Keeps its place and the focus where there is nothing more. */
function Step({
  text,
  view,
  part,
}: {
  readonly text: string;
  readonly view: View;
  readonly part: Part | undefined;
}) {
  return (
    <button
      type="button"
      aria-disabled={part === undefined}
      onClick={() => {
        if (part !== undefined) go(addressOfView({ ...view, ...part }));
      }}
    >
      {text}
    </button>
  );
}

function Legend({ hasOwn }: { readonly hasOwn: boolean }) {
  const { legend } = CALENDAR_WORDS;
  const kinds = Object.entries(legend).filter(([kind]) => hasOwn || kind !== 'own');
  return (
    <ul class="plain legend">
      {kinds.map(([kind, text]) => (
        <li key={kind} class={`swatch ${kind}`}>
          {text}
        </li>
      ))}
    </ul>
  );
}
