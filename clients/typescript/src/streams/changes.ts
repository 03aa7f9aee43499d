import type { Connection } from '../http/connection.ts';
import { changeOf, type Change } from './change.ts';
import { followEvents, type StreamTerms } from './stream.ts';

/** Tells of changes as they come, without end. @throws PlannerError as `followEvents` */
export async function* followChanges(
  connection: Pick<Connection, 'open' | 'placeOf'>,
  terms: StreamTerms = {},
): AsyncGenerator<Change, void> {
  for await (const { event, data } of followEvents(
    connection,
    connection.placeOf('events'),
    terms,
  )) {
    const change = changeOf(event, data);
    if (change !== undefined) yield change;
  }
}
