import { addressOf } from '../route.ts';
import { SITE } from '../words/site.ts';
import { Card } from './card.tsx';

const OWNER = '*';

/** The ways to the lists of what everybody has. */
export function ListLinks() {
  const links = [
    [SITE.openOffers, addressOf('offers', { owner: OWNER })],
    [SITE.allOffers, addressOf('offers', { owner: OWNER, state: 'all' })],
    [SITE.runningJobs, addressOf('jobs', { owner: OWNER, phase: 'running' })],
    [SITE.failedJobs, addressOf('jobs', { owner: OWNER, phase: 'failed' })],
    [SITE.allJobs, addressOf('jobs', { owner: OWNER })],
  ] as const;
  return (
    <Card title={SITE.lists}>
      <p class="row">
        {links.map(([text, address]) => (
          <a key={text} class="button" href={address}>
            {text}
          </a>
        ))}
      </p>
    </Card>
  );
}
