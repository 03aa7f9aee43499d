import { shown } from '../time.ts';
import { CALENDAR_WORDS } from './words.ts';
import { zone } from '../zone.tsx';
import type { Row } from './book.ts';

/** The reader's own jobs and open offers at a destination. */
export function OwnList({ row }: { readonly row: Row | undefined }) {
  const words = CALENDAR_WORDS;
  if (row === undefined || row.own.length === 0) return null;
  return (
    <section class="card" aria-labelledby="own">
      <h2 id="own">{words.ownTitle}</h2>
      <ul>
        {row.own.map(({ ask, job, start, end }) => (
          <li key={`${ask} ${job ?? start}`}>
            <a href={job === undefined ? `#/asks/${ask}` : `#/jobs/${job}`}>
              {job === undefined ? words.ownOffer : words.ownJob}
            </a>{' '}
            {words.fromTo(shown(start, zone.value), shown(end, zone.value))}
          </li>
        ))}
      </ul>
    </section>
  );
}
