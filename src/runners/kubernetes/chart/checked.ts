import { isRecord } from '../../../words/record.ts';
import { shown } from '../../../tasks/task.ts';
import { JobFailure } from '../../../words/job-failure.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Refuses a chart, naming the place. */
export function refuseChart(place: string, why: string): never {
  throw new JobFailure('chart-refused', `${place}: ${why}`);
}

/** A mapping; what is absent is an empty one. */
export function fieldsAt(value: unknown, place: string): Fields {
  if (value == null) return {};
  return isRecord(value) ? value : refuseChart(place, 'a mapping is expected');
}

/** A list; what is absent is an empty one. */
export function listAt(value: unknown, place: string): readonly unknown[] {
  if (value == null) return [];
  return Array.isArray(value) ? value : refuseChart(place, 'a list is expected');
}

/**
 * A mapping in which only these keys may have a value. Empty values, which charts leave behind, are
 * dropped.
 *
 * @returns what the known keys have
 * @throws JobFailure for any other key: unknown keys are refused, never ignored
 */
export function only(value: unknown, place: string, known: readonly string[]): Fields {
  const fields = fieldsAt(value, place);
  for (const [key, entry] of Object.entries(fields)) {
    if (!known.includes(key) && !isEmpty(entry))
      refuseChart(`${place}.${shown(key)}`, 'a chart cannot say this here');
  }
  return Object.fromEntries(Object.entries(fields).filter(([key]) => known.includes(key)));
}

/** A whole number within bounds; `fallback` when absent. */
export function countAt(
  value: unknown,
  place: string,
  { fallback, most }: { readonly fallback: number; readonly most: number },
): number {
  if (value == null) return fallback;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most
    ? value
    : refuseChart(place, `a number from 0 to ${most} is expected`);
}

/** A text. */
export function textAt(value: unknown, place: string): string {
  return typeof value === 'string' ? value : refuseChart(place, 'a text is expected');
}

/** A name that begins with that of the release: other names may belong to another job. */
export function ownName(value: unknown, place: string, release: string): string {
  const name = textAt(value, place);
  return name === release || name.startsWith(`${release}-`)
    ? name
    : refuseChart(
        place,
        `'${shown(name)}' does not begin with the name of the release, {{ .Release.Name }}`,
      );
}

function isEmpty(value: unknown): boolean {
  return (
    value == null ||
    value === false ||
    value === '' ||
    (Array.isArray(value) && value.length === 0) ||
    (isRecord(value) && Object.keys(value).length === 0)
  );
}
