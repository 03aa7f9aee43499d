import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, outcomeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import type { Trouble } from '../client.ts';
import { shown } from '../time.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { leaveUser, unendedOf } from './sign-out.ts';

type SignedIn = Documents['SignedIn'];

/** Where the user is signed in with a browser, each with a button that ends it. */
export function SignIns() {
  const all = useSignal<readonly SignedIn[]>([]);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const words = WORDS.me;
  const read = async (): Promise<void> => {
    const outcome = await outcomeOf(api.GET('/me/sign-ins'));
    if (outcome.ok) all.value = outcome.data['sign-ins'];
  };
  const end = async ({ id, current }: SignedIn): Promise<void> => {
    trouble.value = unendedOf(
      await outcomeOf(api.DELETE('/me/sign-ins/{id}', { params: { path: { id } } })),
    );
    await (current && trouble.value === undefined ? leaveUser() : read());
  };
  useEffect(() => void read(), []);
  if (all.value.length === 0) return null;
  return (
    <section class="card" aria-labelledby="sign-ins">
      <h2 id="sign-ins">{words.signIns}</h2>
      {trouble.value !== undefined && <TroubleBox trouble={trouble.value} />}
      <ul class="plain examples">
        {all.value.map((each) => (
          <li key={each.id} class="row">
            <span class="grow">
              {shown(Date.parse(each.since), zone.value)}{' '}
              {each.current && <strong>{words.here}</strong>}
              <br />
              <small>
                {each.address} · {each.agent}
              </small>
            </span>
            <button
              type="button"
              aria-label={words.endOf(shown(Date.parse(each.since), zone.value))}
              onClick={() => void end(each)}
            >
              {words.end}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
