import { round } from '../time.ts';
import { CALENDAR_WORDS } from './words.ts';
import { zone } from '../zone.tsx';
import { amountOf, RESOURCES, type Away, type Row } from './book.ts';
import { spanText } from './picture/sentence.ts';

/** The maintenance of a destination, with reasons and with what is away. */
export function AwayList({ row }: { readonly row: Row | undefined }) {
  const words = CALENDAR_WORDS;
  if (row === undefined || row.away.length === 0) return null;
  return (
    <section class="card" aria-labelledby="away">
      <h2 id="away">{words.awayTitle}</h2>
      <ul>
        {row.away.map((each) => (
          <li key={`${each.start} ${each.reason}`}>
            {each.reason}, {spanText(each, zone.value)}, {takenText(each, row)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function takenText({ takes }: Away, { capacity }: Row): string {
  const { units, takes: say, takesAll } = CALENDAR_WORDS;
  if (takes === capacity) return takesAll;
  return say(
    RESOURCES.filter((resource) => amountOf(takes, resource) > 0)
      .map((resource) => `${round(amountOf(takes, resource))} ${units[resource]}`)
      .join(', '),
  );
}
