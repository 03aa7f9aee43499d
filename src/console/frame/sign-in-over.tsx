import { route, signInAddress } from '../router.ts';
import { endedUser } from '../who.ts';
import { WORDS } from '../words.ts';

/** Says that a sign-in is over: lists would be those of somebody without a name. */
export function SignInOver() {
  const { value: user } = endedUser;
  if (user === undefined) return null;
  return (
    <div class="card trouble" role="alert">
      <p class="row">
        <strong>{WORDS.shell.signInOver(user)}</strong>
        {route.value.screen !== 'me' && <a href={signInAddress()}>{WORDS.shell.signInAgain}</a>}
      </p>
    </div>
  );
}
