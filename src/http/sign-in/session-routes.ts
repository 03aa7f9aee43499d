import { Router, type Request, type Response } from 'express';
import type { Doorkeeper } from '../../identity/identify.ts';
import type { UserNames } from '../../identity/names.ts';
import type { ProvenUser, SignIn } from '../../identity/sign-in/signed-in.ts';
import type { SignIns } from '../../identity/sign-in/sign-ins.ts';
import { Problem } from '../../words/problem.ts';
import { requireAcceptable } from '../body/representation.ts';
import { reply } from '../body/reply.ts';
import { identifiedAs } from '../identified.ts';
import type { BrowserCookies } from './browser-cookies.ts';
import { loginBody, secretIn } from './login-body.ts';
import { withoutDialog } from './no-dialog.ts';
import { printSignIn } from './printed.ts';

export type SignInParts = {
  readonly doorkeeper: Pick<Doorkeeper, 'identifySignedIn' | 'isGood' | 'prove'>;
  readonly signIns: SignIns;
  readonly cookies: BrowserCookies;
  readonly names: UserNames;
};

/**
 * `POST /login` for users of the site's own files, and `POST /logout`. They are for everybody, also
 * with a cookie that is no longer good.
 */
export function sessionRoutes(parts: SignInParts): Router {
  const { doorkeeper, signIns, cookies } = parts;
  const router = Router();
  router.post('/login', requireAcceptable(), ...loginBody, async (request, response) => {
    cookies.requireSecure(request);
    const user = await doorkeeper
      .prove(secretIn(request), request.ip ?? '')
      .catch((error: unknown) => {
        throw error instanceof Problem ? withoutDialog(request, error) : error;
      });
    const signIn = await beginSignIn(parts, request, response, user);
    reply(request, response, 200, { 'sign-in': printSignIn(signIn, signIn.id) });
  });
  router.post('/logout', async (request, response) => {
    const name = cookies.read(request);
    const signIn = name === undefined ? undefined : await signIns.find(name);
    if (name !== undefined) await signIns.endByName(name);
    // The audit trail says who left; a sign-in that is no longer good says nothing.
    if (signIn !== undefined && (await doorkeeper.isGood(signIn)))
      identifiedAs(request, response, await doorkeeper.identifySignedIn(signIn));
    const removal = cookies.removal(request);
    if (removal !== undefined) response.append('Set-Cookie', removal);
    response.status(204).set('Cache-Control', 'no-store').end();
  });
  return router;
}

/**
 * Signs a proven user in: always under a new name, so that a name that somebody put into the
 * browser before is worth nothing. Ends the sign-in that the browser had.
 *
 * @throws Problem `sign-in-insecure` (403)
 */
export async function beginSignIn(
  { doorkeeper, signIns, cookies, names }: SignInParts,
  request: Request,
  response: Response,
  user: ProvenUser,
): Promise<SignIn> {
  const before = cookies.read(request);
  const agent = request.headers['user-agent'] ?? '';
  const { name, signIn } = await signIns.begin(user, { address: request.ip ?? '', agent });
  cookies.set(request, response, name);
  const principal = await doorkeeper.identifySignedIn(signIn);
  await names.keep(principal);
  identifiedAs(request, response, principal);
  if (before !== undefined) await signIns.endByName(before);
  return signIn;
}
