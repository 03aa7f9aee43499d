import { Router } from 'express';
import type { components } from '../../generated/api.d.ts';
import { identityOf, ownerOf, type Principal } from '../../identity/principal.ts';
import { printInstant } from '../../words/iso8601.ts';
import { reply } from '../body/reply.ts';
import { requireAcceptable } from '../body/representation.ts';
import { principalOf } from '../identified.ts';
import { quotaLines, type QuotaSources } from './quota-lines.ts';

type Me = components['schemas']['Me'];

/** Tells a client who it is here, and what is left of its quotas before one refuses. */
export function meRoutes(sources: QuotaSources): Router {
  const router = Router();
  router.get('/me', requireAcceptable(), async (request, response) => {
    const principal = principalOf(request);
    const quotas = await quotaLines(sources, principal);
    reply(request, response, 200, {
      me: { ...whoIs(principal), quotas: [...quotas] } satisfies Me,
    });
  });
  return router;
}

function whoIs(principal: Principal): Omit<Me, 'quotas'> {
  if (principal.kind === 'anonymous')
    return { identity: { type: 'anonymous' }, roles: [], administrator: false };
  const { user, roles, administrator, until, signIn } = principal;
  return {
    identity: identityOf(ownerOf(principal), user),
    roles: [...roles],
    administrator,
    ...(until !== undefined && { until: printInstant(until) }),
    ...(signIn !== undefined && {
      'sign-in': { id: signIn.id, since: printInstant(signIn.since), kind: signIn.kind },
    }),
  };
}
