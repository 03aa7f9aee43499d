import { reasonText } from '../../../src/dialects/reason-text.ts';
import type {
  PrintableOffer,
  PrintableProposal,
  ToldAnswer,
} from '../../../src/planner/dialect.ts';
import { toCores, toGibibytes } from '../../../src/words/units.ts';
import { wishWith, type Wish } from './wishes.ts';

export function told(answer: ToldAnswer, wish: Wish, base: string): object {
  if (answer.kind === 'yes') {
    return { can: true, bids: answer.offers.map((one) => bidOf(one, base)) };
  }
  if (answer.kind === 'would-be-yes') return { could: true, bids: answer.offers.map(promiseOf) };
  const because = answer.reasons.map((one) => ({ at: one.path, why: reasonText(one, 'GiB') }));
  const instead = answer.nearest?.changes.reduce(wishWith, wish);
  return { can: false, because, ...(instead && { instead }) };
}

export function bidOf(offer: PrintableOffer, base: string): object {
  const { id, state } = offer;
  const job = `${base}/jobs/${id}`;
  return { id, link: `${base}/bids/${id}`, job, is: state.toLowerCase(), ...promiseOf(offer) };
}

function promiseOf({ destination, promised, durationS }: PrintableProposal): object {
  const [cpu, ram] = [toCores(promised.cores.min), toGibibytes(promised.memory.min)];
  return { where: destination, cpu, ram, minutes: durationS / 60 };
}
