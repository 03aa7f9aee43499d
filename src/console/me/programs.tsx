import { BASE } from '../api.ts';
import type { Documents } from '../contract.ts';
import { site } from '../site-of.ts';
import { who } from '../who.ts';
import { PROGRAMS } from '../words/programs.ts';

/** How a program says who it is at this site, each way with a line for a shell that shows it. */
export function Programs() {
  const { isAnonymousAllowed } = site.value;
  return (
    <section class="card" aria-labelledby="programs">
      <h2 id="programs">{PROGRAMS.title}</h2>
      <p>{PROGRAMS.lead}</p>
      {ways().map(({ kind, name, issuer }) => {
        switch (kind) {
          case 'oidc':
            return <Way key={issuer} text={PROGRAMS.oidc(name ?? issuer ?? '')} options={BEARER} />;
          case 'token':
            return <Way key={kind} text={PROGRAMS.token} options={BEARER} />;
          case 'password':
            return <Way key={kind} text={PROGRAMS.password} options={`-u '${userName()}'`} />;
        }
      })}
      {isAnonymousAllowed && <Way text={PROGRAMS.anonymous} options="" />}
    </section>
  );
}

const BEARER = '-H "Authorization: Bearer $TOKEN"';

function Way({ text, options }: { readonly text: string; readonly options: string }) {
  return (
    <p>
      {text}
      <br />
      <code>{['curl', options, `${BASE}/me`].filter((part) => part !== '').join(' ')}</code>
    </p>
  );
}

/** The ways of the site; to somebody who is signed in, the one that brought them. */
function ways(): readonly Documents['SignIn'][] {
  const { value: now } = who;
  const { signIn: all } = site.value;
  if (now.kind !== 'known') return all;
  const { identity, 'sign-in': signIn } = now.me;
  return signIn === undefined
    ? all
    : all.filter(({ kind, issuer }) => kind === signIn.kind && issuer === identity.issuer);
}

/** The user's name where it is one of the password file. */
function userName(): string {
  const { value: now } = who;
  const me = now.kind === 'known' ? now.me : undefined;
  const name = me?.['sign-in']?.kind === 'password' ? (me.identity.user ?? '') : '';
  return /^[\w.@+-]+$/.test(name) ? name : PROGRAMS.user;
}
