import { WORDS } from '../words.ts';
import { conversation } from './conversation.ts';

type Props = {
  /** without it the first button sends the form around it */
  readonly onAsk?: () => void;
  readonly onCheck: () => void;
};

/** Asks, or only looks what the answer would be. */
export function AskButtons({ onAsk, onCheck }: Props) {
  const isAsking = conversation.value.kind === 'asking';
  return (
    <p class="row">
      <button
        type={onAsk === undefined ? 'submit' : 'button'}
        class="main"
        aria-disabled={isAsking}
        onClick={onAsk}
      >
        {isAsking ? WORDS.ask.asking : WORDS.ask.send}
      </button>
      <button type="button" onClick={onCheck}>
        {WORDS.ask.check}
      </button>
      <small>{WORDS.ask.nothingRuns}</small>
    </p>
  );
}
