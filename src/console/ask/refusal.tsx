import type { Documents } from '../contract.ts';
import { placeOf } from '../api.ts';
import { shown } from '../time.ts';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { ask } from './conversation.ts';
import { draftOf, type Draft } from './document.ts';
import { amountsText, byDestination, groupsOf, sentenceOf, type ReasonGroup } from './grouped.ts';

type Props = {
  readonly no: {
    readonly ask: Documents['Ask'];
    /** a dry run has none, nor an explanation */
    readonly ident?: string;
    readonly answer: Documents['AnswerNo'] | Documents['DryRunNo'];
  };
  readonly onFill: (draft: Draft) => void;
};

/** A NO: the nearest YES first, then every reason. */
export function Refusal({
  no,
  title = WORDS.refusal.title,
  onFill,
}: Props & { readonly title?: string }) {
  const words = WORDS.refusal;
  const { answer } = no;
  const ways = byDestination(answer.reasons);
  return (
    <section aria-labelledby="answer">
      <h2 id="answer" tabIndex={-1} class="answer">
        <span class="no">{words.no}</span> {title}
      </h2>
      {answer.nearest !== undefined && <NearestBox nearest={answer.nearest} onFill={onFill} />}
      <ul class="plain">
        {groupsOf(answer.reasons).map((group, index) => (
          <Group key={index} group={group} no={no} onFill={onFill} />
        ))}
      </ul>
      {answer['more-reasons'] !== undefined && <p>{words.moreReasons(answer['more-reasons'])}</p>}
      {ways.length > 1 && (
        <details class="card">
          <summary>{words.byDestination}</summary>
          {ways.map(([name, reasons]) => (
            <div key={name}>
              <h3>{name}</h3>
              <ul>
                {reasons.map((reason, index) => (
                  <li key={index}>
                    {sentenceOf(reason)} {amountsText(reason)}
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </details>
      )}
      <p class="row">
        {no.ident !== undefined && <a href={`#/asks/${no.ident}/explain`}>{WORDS.offers.how}</a>}
        <a href={placeOf('docs', 'errors')}>{words.codes}</a>
      </p>
    </section>
  );
}

function NearestBox({
  nearest: { destination, changes, ask: changed },
  onFill,
}: { readonly nearest: Documents['Nearest'] } & Pick<Props, 'onFill'>) {
  const words = WORDS.refusal;
  return (
    <div class="card nearest">
      <h3>{words.nearest(destination)}</h3>
      <ul>
        {changes.map(({ path, from, to, text }) => (
          <li key={path} aria-label={text}>
            <code>{path}</code>: {from !== undefined && <del>{valueText(from)}</del>}{' '}
            <ins>{to === undefined ? words.removed : valueText(to)}</ins>
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="main"
        onClick={() => {
          onFill(draftOf(changed));
          void ask(changed);
        }}
      >
        {words.instead}
      </button>
    </div>
  );
}

function Group({ group, no, onFill }: Props & { readonly group: ReasonGroup }) {
  const words = WORDS.refusal;
  return (
    <li class="card reason">
      <strong>{group.text}</strong> {group.amount}
      <ul class="limits">
        {group.limits.map(({ limit, destinations, earliest }, index) => (
          <li key={index}>
            {limit !== '' && <strong>{limit}</strong>}
            {destinations.length > 0 && ` ${words.at} ${destinations.join(', ')}`}
            {earliest !== undefined && <Earliest earliest={earliest} no={no} onFill={onFill} />}
          </li>
        ))}
      </ul>
      {group.more > 0 && <p>{words.more(group.more)}</p>}
      <small>
        <code>{group.code}</code> {group.path !== '' && <code>{group.path}</code>}
      </small>
    </li>
  );
}

function Earliest({ earliest, no, onFill }: Props & { readonly earliest: string }) {
  const words = WORDS.refusal;
  const then = (): void => {
    const draft = { ...draftOf(no.ask), start: Date.parse(earliest), until: undefined };
    onFill(draft);
  };
  return (
    <>
      {' '}
      {words.earliest}{' '}
      <button type="button" class="link" onClick={then}>
        {words.thatTime(shown(Date.parse(earliest), zone.value))}
      </button>
    </>
  );
}

function valueText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value)
    : JSON.stringify(value);
}
