import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { placeOf } from '../api.ts';
import { Segments } from '../fields.tsx';
import type { Trouble } from '../client.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { openLines, type Line } from './lines.ts';
import { followLog } from './log-stream.ts';
import { isSeen } from '../live/visible.ts';

/** A log and its bytes; a job that runs writes it, so its size is not known. */
export type Log = { readonly id: string; readonly size: number | undefined };

type Props = {
  readonly ident: string;
  /** the logs, stdout first */
  readonly logs: readonly Log[];
  /** the log that is shown first */
  readonly first: string;
};

/** Lines that the page keeps; the download has all. */
const MOST = 5000;
/** Closer to the end than this, the reader follows. */
const NEAR_PX = 24;

/** The logs of a job: the last lines as they come, and the whole to download. */
export function JobLog({ ident, logs, first }: Props) {
  const [chosen, choose] = useState(first);
  const [isWrapped, wrap] = useState(false);
  const follows = useSignal(true);
  const lines = useSignal(0);
  const words = WORDS.log;
  const size = logs.find(({ id }) => id === chosen)?.size;
  return (
    <section class="card" aria-labelledby="log">
      <div class="row">
        <h2 id="log">{words.title}</h2>
        <Segments
          label={words.which}
          choices={logs.map(({ id }) => ({ value: id, text: id }))}
          value={chosen}
          onChoice={choose}
        />
        {size === undefined && <span class="tag live">{words.live}</span>}
        <span class="grow over">{words.lines(lines.value)}</span>
        <label>
          <input
            type="checkbox"
            checked={follows.value}
            onChange={({ currentTarget }) => {
              follows.value = currentTarget.checked;
            }}
          />{' '}
          {words.follow}
        </label>
        <label>
          <input
            type="checkbox"
            checked={isWrapped}
            onChange={({ currentTarget }) => wrap(currentTarget.checked)}
          />{' '}
          {words.wrap}
        </label>
        <a href={placeOf('jobs', ident, 'results', chosen)} download={chosen}>
          {words.download}
        </a>
      </div>
      <Lines
        key={`${ident} ${chosen}`}
        ident={ident}
        log={chosen}
        size={size}
        isWrapped={isWrapped}
        follows={follows}
        count={lines}
      />
    </section>
  );
}

type LinesProps = {
  readonly ident: string;
  readonly log: string;
  readonly size: number | undefined;
  readonly isWrapped: boolean;
  readonly follows: { value: boolean };
  readonly count: Signal<number>;
};

/** Writes lines once a frame, beside Preact, which would compare all of them. */
function Lines({ ident, log, size, isWrapped, follows, count }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const said = useSignal<string>(WORDS.log.reading);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const tries = useSignal(0);
  const seen = isSeen.value;
  useEffect(() => {
    const { current: target } = box;
    if (target === null || !seen) return undefined;
    count.value = 0;
    const writer = openWriter(target, () => follows.value);
    const stop = followLog({
      place: placeOf('jobs', ident, 'results', log),
      size,
      onText: (text) => {
        writer.push(text);
        count.value = writer.count();
        said.value = '';
      },
      onEmpty: () => {
        said.value = size === undefined ? WORDS.log.nothingYet : WORDS.log.nothing;
      },
      onStart: () => {
        writer.clear();
        count.value = 0;
      },
      onTrouble: (why) => {
        said.value = '';
        trouble.value = why;
      },
    });
    return () => {
      stop();
      writer.stop();
      trouble.value = undefined;
    };
  }, [ident, log, size, seen, tries.value]);
  return (
    <>
      {trouble.value !== undefined && (
        <TroubleBox
          title={WORDS.log.unread}
          trouble={trouble.value}
          again={() => {
            tries.value += 1;
          }}
        />
      )}
      <div class="log-place" hidden={trouble.value !== undefined && count.peek() === 0}>
        {said.value !== '' && <p class="log-said">{said.value}</p>}
        <div
          ref={box}
          class={`log ${isWrapped ? 'wrapped' : ''} ${size === undefined ? 'growing' : ''}`}
          tabIndex={0}
          role="log"
          aria-live="off"
          aria-label={log}
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            const isAtEnd = scrollTop + clientHeight >= scrollHeight - NEAR_PX;
            if (follows.value !== isAtEnd && clientHeight < scrollHeight) follows.value = isAtEnd;
          }}
        />
      </div>
    </>
  );
}

/** Shows the last lines of a text in an element. */
function openWriter(target: HTMLElement, follows: () => boolean) {
  let lines = openLines();
  let frame = 0;
  const open = document.createElement('div');
  const write = (): void => {
    frame = 0;
    const { added, open: last } = lines.take();
    const isFollowing = follows();
    const fresh = document.createDocumentFragment();
    for (const line of added.slice(-MOST)) fresh.append(elementOf(line));
    open.replaceChildren(...partsOf(last));
    fresh.append(open);
    target.append(fresh);
    while (target.childElementCount > MOST + 1) target.firstElementChild?.remove();
    if (isFollowing) target.scrollTop = target.scrollHeight;
  };
  return {
    push: (text: string): void => {
      lines.push(text);
      frame ||= requestAnimationFrame(write);
    },
    clear: (): void => {
      lines = openLines();
      target.replaceChildren();
    },
    count: (): number => lines.count(),
    stop: (): void => cancelAnimationFrame(frame),
  };
}

function elementOf(line: Line): HTMLElement {
  const element = document.createElement('div');
  element.append(...partsOf(line));
  return element;
}

function partsOf(line: Line): readonly (Node | string)[] {
  return line.map(({ text, classes }) => {
    if (classes === '') return text;
    const part = document.createElement('span');
    part.className = classes;
    part.textContent = text;
    return part;
  });
}
