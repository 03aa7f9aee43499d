import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { api, BASE, outcomeOf } from '../api.ts';
import { conversation, readOpenOffers } from '../ask/conversation.ts';
import type { Documents } from '../contract.ts';
import { followUser } from '../live/changes.ts';
import { cameFrom, go } from '../router.ts';
import { site } from '../site-of.ts';
import type { Trouble } from '../client.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { readMe } from '../who.ts';
import { WORDS } from '../words.ts';

/** The ways to sign in that the site has. */
export function SignInCard() {
  const words = WORDS.me;
  const ways = site.value.signIn;
  const has = (kind: string): boolean => ways.some((way) => way.kind === kind);
  if (ways.length === 0) return <p class="card">{words.noWay}</p>;
  return (
    <section class="card" aria-labelledby="sign-in">
      <h2 id="sign-in">{words.signIn}</h2>
      {ways.flatMap(({ start, name, issuer }) =>
        start === undefined ? (
          []
        ) : (
          <p key={start}>
            <a
              class="button"
              href={`${BASE}/${start}&to=${encodeURIComponent(cameFrom() ?? '#/me')}`}
            >
              {words.signInWith(name ?? issuer ?? '')}
            </a>
          </p>
        ),
      )}
      {has('password') && (
        <SignInForm
          fields={[
            { name: 'user', label: words.user, type: 'text', autocomplete: 'username' },
            {
              name: 'password',
              label: words.password,
              type: 'password',
              autocomplete: 'current-password',
            },
          ]}
          documentOf={({ user = '', password = '' }) => ({ user, password })}
        />
      )}
      {has('token') && (
        <SignInForm
          fields={[{ name: 'token', label: words.token, type: 'password', autocomplete: 'off' }]}
          documentOf={({ token = '' }) => ({ token })}
        />
      )}
    </section>
  );
}

type FormProps = {
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    readonly type: 'text' | 'password';
    readonly autocomplete: string;
  }[];
  readonly documentOf: (values: Readonly<Record<string, string>>) => Documents['Login'];
};

function SignInForm({ fields, documentOf }: FormProps) {
  const id = useId();
  const trouble = useSignal<Trouble | undefined>(undefined);
  const send = async (form: HTMLFormElement): Promise<void> => {
    const values = Object.fromEntries(
      [...new FormData(form)].map(([name, value]) => [name, String(value)]),
    );
    const outcome = await outcomeOf(api.POST('/login', { body: documentOf(values) }));
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    if (!outcome.ok) return;
    conversation.value = { kind: 'none' };
    followUser();
    const to = cameFrom();
    await Promise.all([readMe(), readOpenOffers()]);
    if (to !== undefined && cameFrom() === to) go(to);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget);
      }}
    >
      {fields.map(({ name, label, type, autocomplete }) => (
        <div class="field" key={name}>
          <label for={`${id}-${name}`}>{label}</label>
          {type === 'password' ? (
            <input
              id={`${id}-${name}`}
              name={name}
              type="password"
              required
              autocomplete={autocomplete}
            />
          ) : (
            <input
              id={`${id}-${name}`}
              name={name}
              type="text"
              required
              autocomplete={autocomplete}
            />
          )}
        </div>
      ))}
      <p>
        <button class="main">{WORDS.me.signIn}</button>
      </p>
      {trouble.value !== undefined && <TroubleBox trouble={hereOf(trouble.value)} />}
    </form>
  );
}

/** A refused sign-in leads to no other place to sign in. */
function hereOf(trouble: Trouble): Trouble {
  return trouble.status === 0 ? trouble : { ...trouble, status: 400 };
}
