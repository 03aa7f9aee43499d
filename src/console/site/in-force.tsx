import type { ComponentChildren } from 'preact';
import type { Documents } from '../contract.ts';
import { shown } from '../time.ts';
import { SITE } from '../words/site.ts';
import { zone } from '../zone.tsx';
import { Card } from './card.tsx';

type Overview = Documents['Overview'];

/** The rules and the site file that this planner uses, and what is wrong with them. */
export function InForce({ now: { rules, site } }: { readonly now: Overview }) {
  if (rules === undefined && site === undefined) return null;
  const problems = [...(rules?.problems ?? []), ...(site?.problems ?? [])];
  return (
    <Card title={SITE.inForce}>
      <dl class="facts">
        {rules !== undefined && <RuleFacts rules={rules} />}
        {site !== undefined && <Fact name={SITE.siteFile}>{site.file}</Fact>}
      </dl>
      {problems.length === 0 ? (
        <p>{SITE.noProblems}</p>
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

function RuleFacts({ rules }: { readonly rules: NonNullable<Overview['rules']> }) {
  const { state, since, digest, files, loaded, refused } = rules;
  return (
    <>
      <Fact name={SITE.state}>{SITE.ruleStates[state]}</Fact>
      <Fact name={SITE.since}>{shown(Date.parse(since), zone.value)}</Fact>
      <Fact name={SITE.digest}>
        <code>{digest}</code>
      </Fact>
      <Fact name={SITE.files}>
        {files.map((file) => (
          <div key={file}>{file}</div>
        ))}
      </Fact>
      <Fact name={SITE.reloads}>{SITE.reloadText(loaded, refused)}</Fact>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
