import { serviceNow } from '../clock.ts';
import type { Documents } from '../contract.ts';
import { shown } from '../time.ts';
import { SITE } from '../words/site.ts';
import { zone } from '../zone.tsx';

type Destination = Documents['OverviewDestination'];

/** Is a destination open, drained or in maintenance, and why? */
export function DestinationState({ each }: { readonly each: Destination }) {
  const { drain, maintenance = [], open, listed } = each;
  if (!listed) return <span class="bad">{SITE.unlisted}</span>;
  if (drain !== undefined) return <Drained drain={drain} />;
  const [away] = maintenance;
  if (away !== undefined)
    return (
      <div class="text">{SITE.away(away.reason, shown(Date.parse(away.end), zone.value))}</div>
    );
  return <span>{open ? SITE.open : SITE.closed}</span>;
}

function Drained({ drain }: { readonly drain: Documents['Drain'] }) {
  const { reason, from, until } = drain;
  const begin = Date.parse(from);
  const isLater = begin > serviceNow();
  return (
    <div class="text">
      <strong class="bad">{isLater ? SITE.willDrain : SITE.drained}</strong> {reason}{' '}
      <small>
        {isLater && `${SITE.from(shown(begin, zone.value))} `}
        {until !== undefined && SITE.until(shown(Date.parse(until), zone.value))}
      </small>
    </div>
  );
}
