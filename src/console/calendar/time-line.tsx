import { useId } from 'preact/hooks';
import { shown } from '../time.ts';
import { CALENDAR_WORDS } from './words.ts';
import { zone } from '../zone.tsx';
import { look, lookIn, type Shown } from './look.ts';
import { percent, placeIn } from './picture/picture.ts';
import { QUARTER } from './range.ts';
import type { Tick } from './picture/ticks.ts';

type Props = { readonly span: Shown; readonly ticks: readonly Tick[] };

/** Behind these places a text would not fit. */
const LAST_TEXT = { wide: 0.95, narrow: 0.85 };

/** The time axis, and one slider for all rows: its keys move the time by quarters of an hour. */
export function TimeLine({ span, ticks }: Props) {
  const id = useId();
  const words = CALENDAR_WORDS;
  const now = lookIn(span);
  const text = shown(now, zone.value);
  return (
    <div class="strip">
      <div class="strip-name">
        <label for={id}>{words.look}</label> <output for={id}>{text}</output>
      </div>
      <div class="time-line">
        <svg aria-hidden="true" class="axis">
          {ticks.map((tick) => (
            <AxisTick key={tick.at} tick={tick} span={span} />
          ))}
        </svg>
        <input
          id={id}
          type="range"
          min={span.from}
          max={span.to}
          step={QUARTER}
          value={now}
          aria-valuetext={text}
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget }) => {
            look.value = currentTarget.valueAsNumber;
          }}
        />
        <small class="unseen" id={`${id}-hint`}>
          {words.lookHint}
        </small>
      </div>
    </div>
  );
}

function AxisTick({
  tick: { at, text, isMinor },
  span,
}: { readonly tick: Tick } & Pick<Props, 'span'>) {
  const place = placeIn(span, at);
  const x = percent(place);
  return (
    <>
      {text !== undefined && <line class="tick" x1={x} x2={x} y1="0" y2="100%" />}
      {text !== undefined && place < LAST_TEXT.wide && (
        <text class={isMinor || place > LAST_TEXT.narrow ? 'minor' : undefined} x={x} dx="5" y="15">
          {text}
        </text>
      )}
    </>
  );
}
