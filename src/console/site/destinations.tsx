import type { ComponentChildren } from 'preact';
import type { Documents } from '../contract.ts';
import { addressOf } from '../route.ts';
import { clockText, round } from '../time.ts';
import type { Trouble } from '../client.ts';
import { SITE } from '../words/site.ts';
import { Card } from './card.tsx';
import { DataTable } from '../lists/data-table.tsx';
import { DestinationState } from './destination-state.tsx';
import { DrainButton } from './drain.tsx';
import { GpuUse } from './gpu-use.tsx';
import { UseBar, useOf } from './use-bar.tsx';

type Destination = Documents['OverviewDestination'];
type Props = {
  readonly all: readonly Destination[];
  /** somebody drained a destination or undid it, or tried to */
  readonly onDone: (trouble: Trouble | undefined) => void;
};

/** Use, queue and engine of each destination, and how to drain it. */
export function Destinations({ all, onDone }: Props) {
  return (
    <Card title={SITE.destinations}>
      <DataTable
        label={SITE.destinations}
        columns={Object.values(SITE.columns)}
        none={SITE.noDestinations}
        rows={all.map((each) => ({ key: each.destination, cells: cellsOf(each, onDone) }))}
      />
    </Card>
  );
}

function cellsOf(each: Destination, onDone: Props['onDone']): readonly ComponentChildren[] {
  const { destination: name, listed, drain } = each;
  return [
    <Name each={each} />,
    <div class="row">
      <DestinationState each={each} />
      {listed && <DrainButton name={name} isDrained={drain !== undefined} onDone={onDone} />}
    </div>,
    <UseBar use={useOf('cores', each)} />,
    <UseBar use={useOf('memory', each)} />,
    <UseBar use={useOf('scratch', each)} />,
    <GpuUse each={each} />,
    <Results each={each} />,
    <Queue each={each} />,
  ];
}

function Name({ each }: { readonly each: Destination }) {
  const { destination: name, listed, engine, runner } = each;
  return (
    <>
      {listed ? <a href={`#/calendar/${encodeURIComponent(name)}`}>{name}</a> : name}
      <br />
      <small>
        {runner} <span class={engine === 'silent' ? 'bad' : undefined}>{SITE.engines[engine]}</span>
      </small>
    </>
  );
}

function Results({ each: { results } }: { readonly each: Destination }) {
  if (results === undefined) return <>{SITE.nothing}</>;
  const { pool, size, held, kept } = results;
  return (
    <div class="pool">
      {SITE.freeOf(round(Math.max(0, size - held - kept)), round(size))}
      <br />
      <small>
        {SITE.kept(round(held), round(kept))}
        <br />
        {pool === '*' ? SITE.shared : SITE.sharedBy(pool)}
      </small>
    </div>
  );
}

function Queue({ each: { destination, queue } }: { readonly each: Destination }) {
  return (
    <>
      <a href={addressOf('jobs', { owner: '*', destination })}>
        {SITE.queueText(queue.running, queue.waiting, queue.pending)}
      </a>
      {queue.due > 0 && (
        <>
          <br />
          <small>{SITE.late(queue.due, clockText(queue['longest-wait']))}</small>
        </>
      )}
    </>
  );
}
