import type { RefObject } from 'preact';

type Props = {
  readonly count: number;
  /** lines, from 1, that a check refused */
  readonly refused: ReadonlySet<number>;
  readonly place: RefObject<HTMLPreElement | null>;
};

/** Numbers beside a text; refused lines have a mark that is no colour only. */
export function LineNumbers({ count, refused, place }: Props) {
  const parts: (string | preact.JSX.Element)[] = [];
  let from = 1;
  for (const line of [...refused].toSorted((a, b) => a - b)) {
    parts.push(numbersBetween(from, line), <b key={line}>! {line}</b>, '\n');
    from = line + 1;
  }
  return (
    <pre class="numbers" aria-hidden="true" ref={place}>
      {parts}
      {numbersBetween(from, count + 1)}
    </pre>
  );
}

function numbersBetween(from: number, to: number): string {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => `${from + index}\n`).join('');
}
