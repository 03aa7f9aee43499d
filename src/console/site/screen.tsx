import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { api, outcomeOf } from '../api.ts';
import type { Documents } from '../contract.ts';
import { isSeen } from '../jobs/visible.ts';
import { QuotaItem } from '../me/screen.tsx';
import { Page } from '../page.tsx';
import { shown } from '../time.ts';
import type { Trouble } from '../trouble.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { AuditTrail } from './audit.tsx';
import { Destinations } from './destinations.tsx';
import { DataTable } from './data-table.tsx';

type Overview = Documents['Overview'];

const AGAIN_MS = 5000;

/** Everything that operators look at first: what works, who holds what, what waits. */
export default function SiteScreen() {
  const overview = useSignal<Overview | undefined>(undefined);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const read = async (): Promise<void> => {
    const outcome = await outcomeOf(api.GET('/overview'));
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    if (outcome.ok) overview.value = outcome.data.overview;
  };
  useEffect(() => {
    if (!isSeen.value) return undefined;
    void read();
    const timer = setInterval(() => void read(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isSeen.value]);
  const { value: now } = overview;
  return (
    <Page title={WORDS.site.title}>
      {trouble.value !== undefined && (
        <TroubleBox trouble={trouble.value} again={() => void read()} />
      )}
      {now === undefined && trouble.value === undefined && (
        <p role="status">{WORDS.shell.loading}</p>
      )}
      {now !== undefined && (
        <>
          <Destinations all={now.destinations} read={() => void read()} />
          <Parts now={now} />
          <Holders now={now} />
          <Executors now={now} />
          <AuditTrail />
        </>
      )}
    </Page>
  );
}

function Parts({ now }: { readonly now: Overview }) {
  const words = WORDS.site;
  const { rules, site, parts } = now;
  const problems = [...parts.flatMap((part) => part.problems), ...(site?.problems ?? [])];
  return (
    <Card title={words.health}>
      <dl class="facts">
        {parts.map(({ part, state }) => (
          <div key={part}>
            <dt>{part}</dt>
            <dd class={state === 'ok' ? undefined : 'bad'}>{state}</dd>
          </div>
        ))}
      </dl>
      {problems.length > 0 && (
        <ul class="bad">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {rules !== undefined && (
        <p>
          {words.rules(rules.state, shown(Date.parse(rules.since), zone.value))}{' '}
          <code>{rules.digest.slice(0, 12)}</code> {rules.files.join(', ')}
        </p>
      )}
    </Card>
  );
}

function Holders({ now }: { readonly now: Overview }) {
  const words = WORDS.site;
  return (
    <Card title={words.holders}>
      <DataTable
        label={words.holders}
        columns={[
          words.owner,
          words.destination,
          words.held,
          words.firm,
          words.answers,
          words.jobs,
          words.until,
        ]}
        none={words.noHolders}
        rows={now.holders.map((each) => ({
          key: `${each.owner} ${each.destination}`,
          cells: [
            each.user ?? words.nobody,
            each.destination,
            words.cores(each.held.cores),
            words.cores(each.firm.cores),
            String(each.answers),
            String(each.jobs),
            shown(Date.parse(each.until), zone.value),
          ],
        }))}
      />
      <p>
        <a href="#/jobs?owner=*">{words.allJobs}</a>
      </p>
      {now.quotas.length > 0 && (
        <details>
          <summary>{words.quotas}</summary>
          <ul class="plain">
            {now.quotas.map((line, index) => (
              <QuotaItem key={index} line={line} />
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

function Executors({ now }: { readonly now: Overview }) {
  const words = WORDS.site;
  return (
    <Card title={words.executors}>
      <DataTable
        label={words.executors}
        columns={[words.host, words.state, words.jobs, words.silent]}
        none={words.noExecutors}
        rows={now.executors.map(({ executor, host, alive, jobs, engines }) => ({
          key: executor,
          cells: [
            host,
            alive ? words.alive : words.gone,
            String(jobs),
            engines
              .flatMap(({ destination, answers }) => (answers ? [] : [destination]))
              .join(', '),
          ],
        }))}
      />
    </Card>
  );
}

function Card({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
