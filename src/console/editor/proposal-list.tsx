import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { EDITOR } from '../words/editor.ts';
import { placeList } from './place-list.ts';
import type { Proposal } from './proposals.ts';
import type { OpenProposals } from './use-proposals.ts';

type Props = {
  readonly id: string;
  readonly open: OpenProposals;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly onChoice: (chosen: Proposal) => void;
};

/** What is possible, beside the line in the text, which keeps the focus. */
export function ProposalList({ id, open: { from, list, active }, area, onChoice }: Props) {
  const box = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    const place = (): void => {
      if (box.current && area.current) placeList(box.current, area.current, from);
    };
    place();
    area.current?.addEventListener('scroll', place);
    return () => area.current?.removeEventListener('scroll', place);
  }, [from, list]);
  useEffect(() => {
    document.getElementById(optionId(id, active))?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);
  return (
    <ul
      ref={box}
      id={id}
      role="listbox"
      aria-label={EDITOR.proposals}
      class="proposals"
      // What scrolls can have the focus; a mouse leaves it in the text.
      tabIndex={0}
      onMouseDown={(event) => event.preventDefault()}
    >
      {list.map((one, index) => (
        <li
          key={one.label}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
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
