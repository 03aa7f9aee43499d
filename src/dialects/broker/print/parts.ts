import { v5 } from 'uuid';
import type { SessionState } from '../../../planner/states.ts';
import { printInstant } from '../../../words/iso8601.ts';
import { nameIn } from '../view.ts';
import { partPhaseOf, saidKind, type PrintedFor, type WireSchedule } from './words.ts';

/** The session of which something is a part; without an id it is the answer of a dry run. */
export type PartOf = {
  readonly id: string | undefined;
  readonly state: SessionState | 'PROPOSED';
  /** milliseconds since 1970 */
  readonly createdAt: number | undefined;
  readonly schedule: WireSchedule;
};

/** What a client called a part, if it did. */
type Named = {
  readonly kind?: string | undefined;
  readonly type?: string | undefined;
  readonly name?: string | undefined;
  readonly meta?:
    | { readonly name?: string | undefined; readonly description?: string | undefined }
    | undefined;
};

/**
 * What every part of a session has: what it is, its name, an id that never changes, its phase and
 * its times.
 *
 * @param path of the part in the session
 * @param asked the part in the request
 * @param uri of what it is, if the request does not say it
 */
export function printComponent(
  { base, spelling }: PrintedFor,
  { id, state, createdAt, schedule }: PartOf,
  path: string,
  asked: Named | undefined,
  uri: string,
) {
  const name = asked && nameIn(asked);
  const known = {
    ...(id === undefined ? {} : { uuid: v5(path, id) }),
    ...(name === undefined ? {} : { name }),
  };
  const url = id === undefined ? undefined : `${base}/sessions/${id}#${path}`;
  const phase = partPhaseOf(spelling, state);
  const said = saidKind(spelling, (spelling.key === 'kind' ? asked?.kind : asked?.type) ?? uri);
  if (spelling.generation === 'types')
    return { ...said, ...known, ...(url === undefined ? {} : { href: url }), phase };
  const description = asked?.meta?.description;
  return {
    ...said,
    meta: {
      ...known,
      ...(url === undefined ? {} : { url }),
      ...(description === undefined ? {} : { description }),
      ...(createdAt === undefined ? {} : { created: printInstant(createdAt) }),
    },
    phase,
    schedule,
  };
}
