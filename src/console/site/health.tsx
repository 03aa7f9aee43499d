import type { Documents } from '../contract.ts';
import { SITE } from '../words/site.ts';
import { Card } from './card.tsx';
import { problemsOf } from './problems.ts';

/** What needs attention, or that nothing does. */
export function Health({ now }: { readonly now: Documents['Overview'] }) {
  const problems = problemsOf(now);
  return (
    <Card title={SITE.health}>
      {problems.length === 0 ? (
        <p>{SITE.works}</p>
      ) : (
        <ul class="bad">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}
