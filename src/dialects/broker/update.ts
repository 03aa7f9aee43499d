import type { components } from '../../generated/api.d.ts';
import type { OfferUpdate } from '../../planner/dialect.ts';
import { Problem } from '../../words/problem.ts';
import type { OfferId } from '../../words/ids.ts';

type WireUpdate = components['schemas']['BrokerUpdate'];

/**
 * What a client wants a session to become. The contract has checked the shape of the document.
 * @throws Problem `parameter-invalid` (400) for anything but a phase that clients set
 */
export function readBrokerUpdate(document: unknown, offer: OfferId): OfferUpdate {
  const update: WireUpdate = Object(document);
  const { uuid, path, value, start } = update;
  const kind = update.kind ?? update.type;
  if (uuid !== undefined && uuid.toLowerCase() !== offer)
    throw invalid('uuid', `must be ${offer}, as in the URL`);
  if (kind !== undefined && !VALUE_KINDS.has(kind))
    throw invalid(update.kind === undefined ? 'type' : 'kind', `is ${kind}; ${POSSIBLE}`);
  if (!PHASE_PATHS.has(path)) throw invalid('path', `is ${path.slice(0, 60)}; ${POSSIBLE}`);
  switch (value) {
    case 'ACCEPTED':
      return { to: value, start: start === 'client' ? 'CLIENT' : 'AUTO' };
    case 'REJECTED':
    case 'CANCELLED':
      return { to: value };
    default:
      throw invalid(
        'value',
        `is ${value === undefined ? 'missing' : String(value).slice(0, 60)}; ${POSSIBLE}`,
      );
  }
}

const VALUE_KINDS: ReadonlySet<string> = new Set([
  'uri:enum-value-update',
  'uri:string-value-update',
]);
const PHASE_PATHS: ReadonlySet<string> = new Set(['phase', '/phase', 'state', '/state']);
const POSSIBLE =
  'possible is uri:enum-value-update of the path phase with ACCEPTED, REJECTED or CANCELLED';

function invalid(path: string, text: string): Problem {
  return new Problem('parameter-invalid', `The update cannot be made: ${path} ${text}.`, {
    errors: [{ path, text }],
  });
}
