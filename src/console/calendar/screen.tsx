import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Page } from '../page.tsx';
import { route } from '../router.ts';
import { offsetName } from '../time.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { CALENDAR_WORDS } from './words.ts';
import { zone } from '../zone.tsx';
import { AwayList } from './away-list.tsx';
import { Board, type Strip } from './board.tsx';
import { amountOf, RESOURCES, type Book } from './book.ts';
import { Choices } from './choices.tsx';
import { Finder, foundAt } from './finder.tsx';
import { OwnList } from './own-list.tsx';
import { quarterAt } from './range.ts';
import { bookIn, follow, reading } from './reading.ts';
import { StepsTable } from './table.tsx';
import { ticksOf } from './picture/ticks.ts';
import { addressOfView, viewOf, type View } from './picture/view.ts';

/** What is free, held and reserved over time, of all destinations or of one. */
export default function CalendarScreen() {
  const view = viewOf(
    route.value.screen === 'calendar' ? route.value.fields : new URLSearchParams(),
  );
  const again = useFollowed(view);
  const words = CALENDAR_WORDS;
  const { value: now } = reading;
  const book = bookIn(now);
  const { destination } = view;
  return (
    <Page
      key={destination}
      title={destination ?? words.title}
      aside={
        destination !== undefined && (
          <a href={addressOfView({ ...view, destination: undefined })}>{words.all}</a>
        )
      }
    >
      <p>
        {destination === undefined ? words.lead : words.leadOne}{' '}
        {words.times(offsetName(zone.value, book?.from ?? Date.now()), zone.value)}
      </p>
      <Choices view={view} hasOwn={book?.rows.some(({ own }) => own.length > 0) ?? false} />
      {now.kind === 'failed' && <TroubleBox trouble={now.trouble} again={again} />}
      {now.kind === 'failed' && book !== undefined && <p>{words.stale}</p>}
      {now.kind === 'reading' && (
        <p class="card" role="status">
          {words.reading}
        </p>
      )}
      {book !== undefined && <Shown book={book} view={view} />}
    </Page>
  );
}

function Shown({ book, view }: { readonly book: Book; readonly view: View }) {
  const span = useMemo(() => ({ from: quarterAt(book.from), to: book.to, now: book.now }), [book]);
  const ticks = useMemo(() => ticksOf(span, view.days, zone.value), [span, view.days, zone.value]);
  if (book.rows.length === 0) return <p class="card">{CALENDAR_WORDS.empty}</p>;
  const strips = stripsOf(book, view);
  const resource = view.destination === undefined ? view.resource : 'cores';
  return (
    <>
      <Board strips={strips} span={span} ticks={ticks} />
      {view.destination !== undefined && <OwnList row={book.rows[0]} />}
      {view.destination !== undefined && <AwayList row={book.rows[0]} />}
      <Finder book={book} />
      <StepsTable book={book} resource={resource} />
    </>
  );
}

/** Rows are destinations, or the resources of one. */
function stripsOf({ rows }: Book, view: View): readonly Strip[] {
  const { destination: wanted } = view;
  if (wanted === undefined)
    return rows.map((row) => ({
      key: row.destination,
      title: (
        <a href={addressOfView({ ...view, destination: row.destination })}>{row.destination}</a>
      ),
      row,
      resource: view.resource,
      found: foundAt(row.destination),
    }));
  return rows
    .filter(({ destination }) => destination === wanted)
    .flatMap((row) =>
      RESOURCES.filter((resource) => amountOf(row.capacity, resource) > 0).map((resource) => ({
        key: resource,
        title: CALENDAR_WORDS.resources[resource],
        row,
        resource,
        found: foundAt(row.destination),
      })),
    );
}

/** Reads the calendar of the view as long as it is shown. */
function useFollowed({ from, days, destination }: View): () => void {
  const again = useRef<() => void>(() => undefined);
  useEffect(() => {
    const followed = follow({ from, days, destination });
    again.current = followed.again;
    return followed.stop;
  }, [from, days, destination]);
  return () => again.current();
}
