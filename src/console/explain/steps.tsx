import { EXPLANATION } from '../words/explanation.ts';
import { phasesOf, type RuleStep } from './step-text.ts';

/** Every step of the rules, closed at first. */
export function Steps({ steps }: { readonly steps: readonly RuleStep[] }) {
  if (steps.length === 0) return null;
  return (
    <details class="card">
      <summary>{EXPLANATION.trace(steps.length)}</summary>
      {phasesOf(steps).map(({ title, lines }, index) => (
        <section key={index}>
          <h3>{title}</h3>
          <ul>
            {lines.map((line, place) => (
              <li key={place}>{line}</li>
            ))}
          </ul>
        </section>
      ))}
    </details>
  );
}
