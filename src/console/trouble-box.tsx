import { signInAddress } from './router.ts';
import { site } from './site-of.ts';
import type { Trouble } from './client.ts';
import { nameOfUser } from './who.ts';
import { WORDS } from './words.ts';

type Props = {
  readonly trouble: Trouble;
  /** undefined: one that fits all troubles */
  readonly title?: string;
  readonly again?: (() => void) | undefined;
};

/** Says what did not work, and what helps. */
export function TroubleBox({ trouble, title, again }: Props) {
  const { status, code, detail, errors, retryAfter, winner } = trouble;
  const words = WORDS.trouble;
  const isAway = status === 0;
  return (
    <div class="card trouble" role="alert">
      <h2>{title ?? (isAway ? words.unreachable : words.title)}</h2>
      <p>{isAway ? words.unreachableText : detail}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ path, text }) => (
            <li key={path}>
              <code>{path}</code> {text}
            </li>
          ))}
        </ul>
      )}
      {retryAfter !== undefined && <p>{words.wait(retryAfter)}</p>}
      <p class="row">
        {winner !== undefined && <a href={`#/jobs/${winner}`}>{words.winner}</a>}
        {maySignIn(status) && <a href={signInAddress()}>{words.signIn}</a>}
        {again !== undefined && (
          <button type="button" onClick={again}>
            {words.again}
          </button>
        )}
        {!isAway && (
          <small>
            <code>{code}</code>
          </small>
        )}
      </p>
    </div>
  );
}

/** What belongs to a user is refused with 403 to somebody without a name. */
function maySignIn(status: number): boolean {
  return (
    status === 401 || (status === 403 && nameOfUser() === undefined && site.value.signIn.length > 0)
  );
}
