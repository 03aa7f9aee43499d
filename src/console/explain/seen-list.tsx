import type { Documents } from '../contract.ts';
import { EXPLANATION } from '../words/explanation.ts';
import { zone } from '../zone.tsx';
import { seenOf } from './seen.ts';

/** What the rules were given: the telling part in words, everything as data. */
export function Seen({ inputs }: { readonly inputs: Documents['ExplanationInputs'] | null }) {
  const words = EXPLANATION.seen;
  return (
    <section class="card" aria-labelledby="seen">
      <h2 id="seen">{words.title}</h2>
      {inputs === null ? (
        <p>{words.notAsked}</p>
      ) : (
        <>
          <p>{words.lead}</p>
          <dl class="facts">
            {seenOf(inputs, zone.value).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <details>
            <summary>{words.all}</summary>
            <pre tabIndex={0} role="region" aria-label={words.all}>
              {JSON.stringify(inputs, null, 2)}
            </pre>
          </details>
        </>
      )}
    </section>
  );
}
