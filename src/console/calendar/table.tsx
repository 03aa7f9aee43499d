import { useState } from 'preact/hooks';
import { round, shown } from '../time.ts';
import { CALENDAR_WORDS } from './words.ts';
import { zone } from '../zone.tsx';
import { amountOf, type Book, type Resource, type Row } from './book.ts';

type Props = { readonly book: Book; readonly resource: Resource };

/** Rows that are added at once: a table of a thousand rows would take longer than a frame. */
const PAGE = 100;

/** The numbers of a row of the calendar, for those who do not look at pictures. */
export function StepsTable({ book, resource }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const row = book.rows.find(({ destination }) => destination === name) ?? book.rows[0];
  const words = CALENDAR_WORDS;
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.table}</summary>
      {isOpen && row !== undefined && (
        <>
          {book.rows.length > 1 && (
            <p>
              <label>
                {words.tableOf}{' '}
                <select
                  value={row.destination}
                  onChange={({ currentTarget }) => setName(currentTarget.value)}
                >
                  {book.rows.map(({ destination }) => (
                    <option key={destination}>{destination}</option>
                  ))}
                </select>
              </label>
            </p>
          )}
          <Steps key={`${row.destination} ${resource}`} row={row} resource={resource} />
        </>
      )}
    </details>
  );
}

function Steps({ row, resource }: { readonly row: Row; readonly resource: Resource }) {
  const [count, setCount] = useState(PAGE);
  const { columns, more, units } = CALENDAR_WORDS;
  const left = row.steps.length - count;
  return (
    <>
      <div class="wide" tabIndex={0} role="region" aria-label={row.destination}>
        <table class="amounts">
          <caption>
            {row.destination}, {units[resource]}
          </caption>
          <thead>
            <tr>
              {Object.values(columns).map((text) => (
                <th key={text} scope="col">
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {row.steps.slice(0, count).map(({ start, end, free, held, firm }) => (
              <tr key={start}>
                <th scope="row">{shown(start, zone.value)}</th>
                <td>{shown(end, zone.value)}</td>
                {[free, held, firm].map((amounts, index) => (
                  <td key={index}>{round(amountOf(amounts, resource))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 && (
        <p>
          <button type="button" onClick={() => setCount(count + PAGE)}>
            {more(Math.min(PAGE, left))}
          </button>
        </p>
      )}
    </>
  );
}
