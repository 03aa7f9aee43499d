import type { ComponentChildren } from 'preact';
import { round } from '../time.ts';
import { CALENDAR_WORDS } from './words.ts';
import { amountOf, type Resource, type Row } from './book.ts';
import { Chart } from './chart.tsx';
import { lookIn, type Shown } from './look.ts';
import type { Span } from './picture/picture.ts';
import { stepAt } from './picture/steps.ts';
import type { Tick } from './picture/ticks.ts';
import { TimeLine } from './time-line.tsx';

/** A row of the screen: a destination, or one of its resources. */
export type Strip = {
  readonly key: string;
  readonly title: ComponentChildren;
  readonly row: Row;
  readonly resource: Resource;
  readonly found: Span | undefined;
};

type Props = {
  readonly strips: readonly Strip[];
  readonly span: Shown;
  readonly ticks: readonly Tick[];
};

/** All rows above one time line. */
export function Board({ strips, span, ticks }: Props) {
  return (
    <div class="board">
      <ul class="plain">
        {strips.map(({ key, title, ...strip }) => (
          <li key={key} class="strip">
            <div class="strip-name">
              <strong>{title}</strong>
              <Amount {...strip} span={span} />
            </div>
            {amountOf(strip.row.capacity, strip.resource) > 0 && (
              <Chart {...strip} span={span} ticks={ticks} />
            )}
          </li>
        ))}
      </ul>
      <TimeLine span={span} ticks={ticks} />
    </div>
  );
}

/** What is free at the time that is looked at; renders while the pointer moves. */
function Amount({ row, resource, span }: Pick<Strip, 'row' | 'resource'> & Pick<Props, 'span'>) {
  const words = CALENDAR_WORDS;
  const most = amountOf(row.capacity, resource);
  if (most === 0) return <span>{words.none[resource]}</span>;
  const now = lookIn(span);
  const free = amountOf(stepAt(row.steps, now).free, resource);
  const isAway = row.away.some(({ start, end }) => start <= now && now < end);
  return (
    <span class="amount">
      <strong>{round(free)}</strong> {words.freeOf(round(most))}
      {isAway && <span class="swatch away">{words.away}</span>}
    </span>
  );
}
