import { computed, signal } from '@preact/signals';
import { TextField } from '../fields.tsx';
import { addressOf } from '../route.ts';
import { shown, type Instant } from '../time.ts';
import { CALENDAR_WORDS } from './words.ts';
import { zone } from '../zone.tsx';
import type { Book } from './book.ts';
import { GpuNeed } from './gpu-need.tsx';
import type { Span } from './picture/picture.ts';
import { bookIn, horizonNow, reading } from './reading.ts';
import { roomsIn, type Need, type Rooms } from './room.ts';

/** The fields as they are typed. */
export type Wish = {
  readonly cores: string;
  readonly memory: string;
  readonly hours: string;
  /** empty: none */
  readonly gpuType: string;
  readonly gpuCount: string;
};

const HOUR = 3_600_000;

const wish = signal<Wish>({ cores: '4', memory: '8', hours: '2', gpuType: '', gpuCount: '1' });
/** What was looked for; undefined before that. */
const wanted = signal<Wish | undefined>(undefined);

const rooms = computed<Rooms | undefined>(() => {
  const book = bookIn(reading.value);
  return book === undefined || wanted.value === undefined
    ? undefined
    : roomsIn(book, needOf(wanted.value));
});

/** The room that was found at a destination, for its row. */
export function foundAt(destination: string): Span | undefined {
  const room = rooms.value?.found.find((each) => each.destination === destination);
  const hours = Number(wanted.value?.hours);
  return room && { from: room.start, to: room.start + hours * HOUR };
}

/** When there is room for so much, by the steps of the book in the page. */
export function Finder({ book }: { readonly book: Book }) {
  const words = CALENDAR_WORDS;
  const { value: now } = wish;
  const set = (key: keyof Wish) => (text: string) => {
    wish.value = { ...wish.value, [key]: text };
  };
  const numbers = { type: 'number', min: 0, step: 'any', required: true } as const;
  const find = (event: SubmitEvent): void => {
    event.preventDefault();
    wanted.value = wish.value;
  };
  return (
    <section class="card" aria-labelledby="room">
      <h2 id="room">{words.room}</h2>
      <form class="row wish" onSubmit={find}>
        <TextField {...numbers} label={words.roomCores} value={now.cores} onText={set('cores')} />
        <TextField
          {...numbers}
          label={words.roomMemory}
          value={now.memory}
          onText={set('memory')}
        />
        <TextField {...numbers} label={words.roomHours} value={now.hours} onText={set('hours')} />
        <GpuNeed book={book} wish={now} onText={set} />
        <button class="main">{words.find}</button>
      </form>
      <div role="status">
        {rooms.value !== undefined && <p>{words.places(rooms.value.found.length)}</p>}
      </div>
      {rooms.value !== undefined && wanted.value !== undefined && (
        <Found rooms={rooms.value} wish={wanted.value} />
      )}
    </section>
  );
}

function Found({
  rooms: { found, full, small },
  wish: asked,
}: {
  readonly rooms: Rooms;
  readonly wish: Wish;
}) {
  const words = CALENDAR_WORDS;
  return (
    <>
      {found.length > 0 && (
        <ol class="rooms">
          {found.map(({ destination, start }) => (
            <li key={destination}>
              <a href={addressOfAsk(asked, start)}>
                {isNow(start) ? words.now : shown(start, zone.value)}
              </a>{' '}
              {words.at} {destination}
            </li>
          ))}
        </ol>
      )}
      {full.length > 0 && <p>{words.full(full.join(', '))}</p>}
      {small.length > 0 && <p>{words.small(small.join(', '))}</p>}
      {found.length > 0 && (
        <p>
          <small>{words.hint}</small>
        </p>
      )}
    </>
  );
}

/** The form to ask, with the amounts and the start filled in, and a dry run of it. */
function addressOfAsk({ cores, memory, hours, gpuType, gpuCount }: Wish, start: Instant): string {
  return addressOf('ask', {
    cores,
    memory,
    hours,
    gpu: gpuType,
    gpus: gpuType === '' ? undefined : gpuCount,
    start: isNow(start) ? undefined : new Date(start).toISOString(),
    check: 'true',
  });
}

function needOf({ cores, memory, hours, gpuType, gpuCount }: Wish): Need {
  return {
    cores: Number(cores),
    memory: Number(memory),
    hours: Number(hours),
    gpu: gpuType === '' ? undefined : { type: gpuType, count: Number(gpuCount) },
  };
}

function isNow(start: Instant): boolean {
  return start <= horizonNow().now;
}
