import type { Trouble } from './trouble.ts';
import { WORDS } from './words.ts';

type Props = { readonly trouble: Trouble; readonly again?: (() => void) | undefined };

/** Says what did not work, and what helps. */
export function TroubleBox({ trouble, again }: Props) {
  const { status, code, detail, faults, retryAfter, winner } = trouble;
  const words = WORDS.trouble;
  const isAway = status === 0;
  return (
    <div class="card trouble" role="alert">
      <h2>{isAway ? words.unreachable : words.title}</h2>
      <p>{isAway ? words.unreachableText : detail}</p>
      {faults.length > 0 && (
        <ul>
          {faults.map(({ path, text }) => (
            <li key={path}>
              <code>{path}</code> {text}
            </li>
          ))}
        </ul>
      )}
      {retryAfter !== undefined && <p>{words.wait(retryAfter)}</p>}
      <p class="row">
        {winner !== undefined && <a href={`#/jobs/${winner}`}>{words.winner}</a>}
        {status === 401 && <a href="#/me">{words.signIn}</a>}
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
