import type { Drain } from '../schedule/drains.ts';
import { OPEN_END, type Maintenance } from './maintenance.ts';
import type { Site } from './site.ts';

/**
 * A site whose drained destinations are away like those in maintenance: asks, calendar and
 * availability tell their clients so. Accepted jobs go on, because the closures in the database
 * come from the site file alone.
 */
export function withDrains(site: Site, drains: readonly Drain[]): Site {
  if (drains.length === 0) return site;
  const byDestination = Map.groupBy(drains, ({ destination }) => destination);
  return {
    ...site,
    destinations: new Map(
      [...site.destinations].map(([id, destination]) => {
        const own = byDestination.get(id)?.map(maintenanceOf) ?? [];
        return own.length === 0
          ? [id, destination]
          : [id, { ...destination, maintenance: [...destination.maintenance, ...own] }];
      }),
    ),
  };
}

function maintenanceOf({ from, until = OPEN_END, reason }: Drain): Maintenance {
  return {
    when: {
      start: from,
      length: { kind: 'lasting', ms: until - from },
      zone: 'UTC',
      rule: undefined,
      except: new Set(),
    },
    reason,
    takes: 'all',
  };
}
