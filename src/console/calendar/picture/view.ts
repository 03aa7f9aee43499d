import { addressOf } from '../../route.ts';
import { RESOURCES, type Resource } from '../book.ts';
import { DAYS, type Part } from '../range.ts';

/** What the screen shows; all of it is in its address. */
export type View = Part & {
  readonly resource: Resource;
  /** undefined: all */
  readonly destination: string | undefined;
};

/** Reads the fields of an address; what is missing or unknown is cores, a week, from now on. */
export function viewOf(fields: URLSearchParams): View {
  const from = Date.parse(fields.get('from') ?? '');
  return {
    resource: RESOURCES.find((resource) => resource === fields.get('show')) ?? 'cores',
    days: DAYS.find((days) => String(days) === fields.get('days')) ?? 7,
    from: Number.isNaN(from) ? undefined : from,
    destination: fields.get('destination') ?? undefined,
  };
}

/** The address of a view. */
export function addressOfView({ resource, days, from, destination }: View): string {
  const screen =
    destination === undefined ? 'calendar' : `calendar/${encodeURIComponent(destination)}`;
  return addressOf(screen, {
    show: resource === 'cores' ? undefined : resource,
    days: days === 7 ? undefined : String(days),
    from: from === undefined ? undefined : new Date(from).toISOString(),
  });
}
