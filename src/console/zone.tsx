import { signal } from '@preact/signals';
import { site } from './site-of.ts';
import { WORDS } from './words.ts';

const KEY = 'planner-zone';
/** Chromium calls the zone of a machine that does not know its own `Etc/Unknown`, and takes no such zone. */
const OWN = known(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? 'UTC';

/** The time zone of all times on the page. */
export const zone = signal(known(localStorage.getItem(KEY)) ?? OWN);

/** The choice of the time zone, the likely ones first. */
export function ZoneChoice() {
  const likely = [...new Set([OWN, site.value.timeZone ?? OWN, 'UTC', zone.value])];
  const others = Intl.supportedValuesOf('timeZone').filter((name) => !likely.includes(name));
  return (
    <select
      class="zone"
      aria-label={WORDS.shell.zone}
      value={zone.value}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      {likely.map((name) => (
        <option key={name}>{name}</option>
      ))}
      <optgroup label={WORDS.shell.otherZones}>
        {others.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </optgroup>
    </select>
  );
}

function choose(name: string): void {
  zone.value = name;
  localStorage.setItem(KEY, name);
}

/** A zone that this browser knows, or undefined. */
function known(name: string | null): string | undefined {
  if (name === null) return undefined;
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) && name;
  } catch {
    return undefined;
  }
}
