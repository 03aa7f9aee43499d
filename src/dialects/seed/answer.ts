import type { components } from '../../generated/api.d.ts';
import type { ToldAnswer, ToldReasons } from '../../planner/dialect.ts';
import type { AskId } from '../../words/ids.ts';
import { printOffer, printProposal } from './print.ts';
import { printReasons } from './print-reasons.ts';
import type { SeedAsk } from './read.ts';
import { revise } from './revise.ts';

type AnswerBody = components['schemas']['AnswerBody'];
type No = Extract<components['schemas']['Answer'], { result: 'NO' }>;

/** The URL of the service as the client sees it, and the document, unless it is of another dialect. */
type PrintedFor = { readonly base: string; readonly body: SeedAsk | undefined };

/** An answer on the wire; that of a dry run has no ids. */
export function printSeedAnswer(answer: ToldAnswer, { base, body }: PrintedFor): AnswerBody {
  switch (answer.kind) {
    case 'yes': {
      const offers = answer.offers.map((offer) => printOffer(offer, base));
      return { response: { result: 'YES', ...links(answer.ask, base), offers } };
    }
    case 'no':
      return { response: { result: 'NO', ...links(answer.ask, base), ...printNo(answer, body) } };
    case 'would-be-yes':
      return {
        response: { result: 'YES', 'dry-run': true, offers: answer.offers.map(printProposal) },
      };
    case 'would-be-no':
      return { response: { result: 'NO', 'dry-run': true, ...printNo(answer, body) } };
    default:
      return answer satisfies never;
  }
}

function links(ask: AskId, base: string): { readonly ident: string; readonly explain: string } {
  return { ident: ask, explain: `${base}/asks/${ask}/explain` };
}

/** Records keep `nearest` as changes; they are made in the document of this request, which is equal. */
function printNo(
  { reasons, nearest }: ToldReasons,
  body: SeedAsk | undefined,
): Pick<No, 'reasons' | 'more-reasons' | 'nearest'> {
  const printed = printReasons(reasons);
  if (nearest === undefined || body === undefined) return printed;
  const { body: ask, changes } = revise(body, nearest.changes);
  return { nearest: { destination: nearest.destination, changes: [...changes], ask }, ...printed };
}
