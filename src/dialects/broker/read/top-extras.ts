import { textQuantity } from '../../../planner/refusal.ts';
import { shown } from '../../../tasks/task.ts';
import type { Notes } from '../../reading/notes.ts';
import { EXTRA } from '../extras.ts';
import type { BrokerRequest } from '../generations.ts';

/** Notes extras of the whole request, but for those of an answer that a client sends back. */
export function noteTopExtras(notes: Notes, { extras }: BrokerRequest): void {
  extras?.forEach(({ kind }, index) => {
    if (TOLD_EXTRAS.has(kind)) return;
    notes.note({
      code: 'unknown-key',
      path: `extras[${index}].kind`,
      asked: textQuantity(shown(kind)),
      detail: 'No extra of a request has this kind.',
    });
  });
}

type TopKind = { readonly kind?: string | undefined; readonly type?: string | undefined };

/** Notes a document that says that it is something else than a request, or than an answer to one. */
export function noteTopKind(notes: Notes, { kind, type }: TopKind): void {
  const said = kind ?? type;
  if (said === undefined || OWN_DOCUMENT.test(said)) return;
  notes.note({
    code: 'unknown-key',
    path: kind === undefined ? 'type' : 'kind',
    asked: textQuantity(shown(said)),
    detail: 'It is no kind of a request, session or offerset.',
  });
}

const OWN_DOCUMENT =
  /^https:\/\/www\.purl\.org\/ivoa[.-]net\/(?:[\w.-]+\/)*(?:requests?|sessions?|offersets?)\/[\w.-]+$/;

const TOLD_EXTRAS: ReadonlySet<string> = new Set([
  EXTRA.destination,
  EXTRA.identity,
  EXTRA.explain,
  EXTRA.nearest,
]);
