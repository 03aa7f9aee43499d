import type { SessionState } from '../../../planner/states.ts';
import { nameIn } from '../view.ts';
import { partPhaseOf, saidKind, type PrintedFor, type WireSchedule } from './words.ts';

/** The session of which something is a part; without an id it is the answer of a dry run. */
export type PartOf = {
  readonly id: string | undefined;
  readonly state: SessionState | 'PROPOSED';
  /** printed */
  readonly created: string | undefined;
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
 * @param path of the part in the session, whose parts of 2024 are below `resources`
 * @param asked the part in the request
 * @param uri of what it is, if the request does not say it
 */
export function printComponent(
  { base, spelling }: PrintedFor,
  { id, state, created, schedule }: PartOf,
  path: string,
  asked: Named | undefined,
  uri: string,
) {
  const name = asked && nameIn(asked);
  const known = {
    ...(id === undefined ? {} : { uuid: partId(id, path) }),
    ...(name === undefined ? {} : { name }),
  };
  const pointer =
    spelling.generation === 'types' && path !== '/executable' ? `/resources${path}` : path;
  const url = id === undefined ? undefined : `${base}/sessions/${id}#${pointer}`;
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
      ...(created === undefined ? {} : { created }),
    },
    phase,
    schedule,
  };
}

/**
 * The id of a part: that of its session as a UUID v8 (RFC 9562) with the place of the part in its
 * last digits. A hash of the path would take as long as the rest of the answer.
 */
function partId(session: string, path: string): string {
  const [, family = '', index = '0'] = path.split('/');
  const place = FAMILIES.indexOf(family) * 4096 + Number(index);
  const last = (Number.parseInt(session.slice(-4), 16) ^ place).toString(16).padStart(4, '0');
  return `${session.slice(0, 14)}8${session.slice(15, -4)}${last}`;
}

const FAMILIES = ['', 'executable', 'compute', 'storage', 'data'];
