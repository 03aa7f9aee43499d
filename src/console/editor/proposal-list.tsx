import { useEffect } from 'preact/hooks';
import { EDITOR } from '../words/editor.ts';
import type { Proposal } from './proposals.ts';
import type { OpenProposals } from './use-proposals.ts';

type Props = {
  readonly id: string;
  readonly open: OpenProposals;
  readonly onChoice: (chosen: Proposal) => void;
};

/** What is possible, below the text, which keeps the focus. */
export function ProposalList({ id, open: { list, active }, onChoice }: Props) {
  useEffect(() => {
    document.getElementById(optionId(id, active))?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  return (
    <ul id={id} role="listbox" aria-label={EDITOR.proposals} class="proposals">
      {list.map((one, index) => (
        <li
          key={one.label}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoice(one)}
        >
          <code>{one.label}</code> <small>{one.about}</small>
        </li>
      ))}
    </ul>
  );
}

/** The id of an option, by its number from 0. */
export function optionId(list: string, index: number): string {
  return `${list}-${index}`;
}
