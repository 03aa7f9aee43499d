import { parseOfferId, type JobId } from '../../words/ids.ts';

/** The place of a job in the list, which begins with the newest. */
export type ListPlace = {
  readonly id: JobId;
  /** when the job was made, by the database: microseconds since 1970, which a number can hold */
  readonly micros: number;
};

/** Prints a place for a client, which sends it back as it is. */
export function printCursor({ id, micros }: ListPlace): string {
  return `${micros}.${id}`;
}

/** @returns undefined for a text that this service did not print */
export function readCursor(text: string): ListPlace | undefined {
  const [, micros, job = ''] = /^(\d{1,15}|[1-8]\d{15})\.(.{36})$/.exec(text) ?? [];
  const id = parseOfferId(job);
  return id === undefined ? undefined : { id, micros: Number(micros) };
}
