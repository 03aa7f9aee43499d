import type { components } from '../../generated/api.d.ts';
import type { OfferUpdate } from '../../planner/dialect.ts';
import type { OfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';

/** The contract has checked the document, but not that it names this offer. */
export function readUpdate(document: unknown, offer: OfferId): OfferUpdate {
  const { ident, status, start }: components['schemas']['OfferUpdate'] = Object(document);
  if (ident !== undefined && ident.toLowerCase() !== offer) {
    throw new Problem('parameter-invalid', `The body names offer ${ident}, the URL ${offer}.`, {
      errors: [{ path: 'ident', text: `must be ${offer}` }],
    });
  }
  return status === 'ACCEPTED'
    ? { to: status, start: start === 'client' ? 'CLIENT' : 'AUTO' }
    : { to: status };
}
