import { Router } from 'express';
import { ownerOf } from '../../identity/principal.ts';
import type { SignIns } from '../../identity/sign-in/sign-ins.ts';
import { shown } from '../../tasks/task.ts';
import { Problem } from '../../words/problem.ts';
import { reply } from '../body/reply.ts';
import { requireAcceptable } from '../body/representation.ts';
import { principalOf } from '../identified.ts';
import type { BrowserCookies } from './browser-cookies.ts';
import { printSignIn } from './printed.ts';

type OwnParts = { readonly signIns: SignIns; readonly cookies: BrowserCookies };

/** `GET /me/sign-ins` and `DELETE /me/sign-ins/{id}`: users see and end their own sign-ins. */
export function ownSignIns({ signIns, cookies }: OwnParts): Router {
  const router = Router();
  router.get('/me/sign-ins', requireAcceptable(), async (request, response) => {
    const principal = principalOf(request);
    const current = principal.kind === 'user' ? principal.signIn?.id : undefined;
    const all = await signIns.list(ownerOf(principal));
    reply(request, response, 200, {
      'sign-ins': all.map((signIn) => printSignIn(signIn, current)),
    });
  });
  router.delete('/me/sign-ins/:id', async (request, response) => {
    const principal = principalOf(request);
    const { id } = request.params;
    if (!(await signIns.end(ownerOf(principal), id)))
      throw new Problem('sign-in-unknown', `You have no sign-in '${shown(id)}', or it has ended.`);
    const removal = cookies.removal(request);
    if (principal.kind === 'user' && principal.signIn?.id === id && removal !== undefined)
      response.append('Set-Cookie', removal);
    response.status(204).set('Cache-Control', 'no-store').end();
  });
  return router;
}
