import { useComputed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { zone } from '../zone.tsx';
import type { Resource, Row } from './book.ts';
import { look, lookIn, type Shown } from './look.ts';
import { HEIGHT, layersOf, percent, placeIn, WIDTH, type Span } from './picture/picture.ts';
import { rowSentence } from './picture/sentence.ts';
import type { Tick } from './picture/ticks.ts';

type Props = {
  readonly row: Row;
  readonly resource: Resource;
  readonly span: Shown;
  readonly ticks: readonly Tick[];
  /** the room that was found here */
  readonly found: Span | undefined;
};

/** A row as a picture with a sentence; the pointer and the finger say what time is looked at. */
export function Chart({ row, resource, span, ticks, found }: Props) {
  const layers = useMemo(() => layersOf(row, resource, span), [row, resource, span.from, span.to]);
  const sentence = useMemo(
    () => rowSentence(row, resource, span.now, zone.value),
    [row, resource, span.now, zone.value],
  );
  return (
    <svg
      class="chart"
      role="img"
      aria-label={sentence}
      onPointerDown={(event) => lookAt(event, span)}
      onPointerMove={(event) => lookAt(event, span)}
    >
      <rect class="free" width="100%" height="100%" />
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        width="100%"
        height="100%"
      >
        <path class="away" d={layers.away} />
        <path class="held" d={layers.held} />
        <path class="firm" d={layers.firm} />
        <path class="own" d={layers.own} />
      </svg>
      {ticks.map(({ at }) => (
        <Upright key={at} kind="tick" place={percent(placeIn(span, at))} />
      ))}
      {found !== undefined && <Box kind="found" part={found} span={span} />}
      <Cursor span={span} />
    </svg>
  );
}

function Box({
  kind,
  part,
  span,
}: {
  readonly kind: string;
  readonly part: Span;
  readonly span: Shown;
}) {
  const start = placeIn(span, part.from);
  return (
    <rect
      class={kind}
      x={percent(start)}
      width={percent(placeIn(span, part.to) - start)}
      height="100%"
    />
  );
}

/** Only its line changes while the pointer moves. */
function Cursor({ span }: { readonly span: Shown }) {
  const place = useComputed(() => percent(placeIn(span, lookIn(span))));
  return <Upright kind="cursor" place={place} />;
}

function Upright({
  kind,
  place,
}: {
  readonly kind: string;
  readonly place: string | ReadonlySignal<string>;
}) {
  return <line class={kind} x1={place} x2={place} y1="0" y2="100%" />;
}

function lookAt(event: PointerEvent & { readonly currentTarget: SVGSVGElement }, span: Span): void {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  const place = Math.min(1, Math.max(0, (event.clientX - left) / width));
  look.value = Math.round(span.from + place * (span.to - span.from));
}
