import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import type { Fault, Finding } from './finding.ts';

type Props = {
  readonly finding: Finding | undefined;
  /** shows a line of a text */
  readonly onLine?: (line: number) => void;
};

/** What a check found; it is read out. */
export function Found(props: Props) {
  return (
    <div role="status">
      <Told {...props} />
    </div>
  );
}

function Told({ finding, onLine }: Props) {
  const words = WORDS.ask;
  switch (finding?.kind) {
    case undefined:
      return null;
    case 'checking':
      return <p>{words.checking}</p>;
    case 'yes':
      return <p>{words.wouldBeYes}</p>;
    case 'failed':
      return <TroubleBox trouble={finding.trouble} />;
    case 'no':
      return <Faults title={words.wouldBeNo} faults={finding.faults} onLine={onLine} />;
    case 'unreadable':
      return <Faults title={words.notYaml} faults={finding.faults} onLine={onLine} />;
  }
}

type FaultsProps = {
  readonly title: string;
  readonly faults: readonly Fault[];
  readonly onLine: Props['onLine'] | undefined;
};

function Faults({ title, faults, onLine }: FaultsProps) {
  return (
    <>
      <p>{title}</p>
      <ul>
        {faults.map(({ line, path, text }, index) => (
          <li key={index}>
            {line !== undefined && (
              <>
                <button type="button" class="link" onClick={() => onLine?.(line)}>
                  {WORDS.ask.line(line)}
                </button>{' '}
              </>
            )}
            <code>{path}</code> {text}
          </li>
        ))}
      </ul>
    </>
  );
}
