import { withoutFragment } from '../gather.ts';
import type { WorkflowLanguage } from '../language.ts';
import { plainDocument } from '../plain.ts';
import { cwlFacts, isCoveredVersion } from './facts.ts';
import { whyNoCwlInput } from './inputs.ts';
import { localisedCwl } from './localised.ts';
import { cwlReferences } from './references.ts';
import { withoutReplaced } from './replaced.ts';

/** The Common Workflow Language, v1.0 and later. */
export const cwl: WorkflowLanguage = {
  name: 'cwl',
  referencesOf: (text, base, start) => {
    const document = plainDocument(text, base ?? 'the workflow');
    if (!document.ok) return document;
    const { url, given } = start ?? { url: base, given: new Set<string>() };
    const isFirst = base === (url && withoutFragment(url));
    const used = isFirst ? withoutReplaced(document.value, fragmentOf(url), given) : document.value;
    return cwlReferences(used, base);
  },
  factsOf: ({ url, text, others }) => {
    const base = url === undefined ? undefined : withoutFragment(url);
    const documents = new Map<string, unknown>();
    for (const [where, what] of [[base ?? '', text] as const, ...others]) {
      const document = plainDocument(what, where === '' ? 'the workflow' : where);
      if (!document.ok) return document;
      documents.set(where, document.value);
    }
    return cwlFacts(documents, base, fragmentOf(url));
  },
  whyNoInput: whyNoCwlInput,
  localised: localisedCwl,
  isCovered: isCoveredVersion,
};

function fragmentOf(url: string | undefined): string | undefined {
  return url?.includes('#') === true ? url.slice(url.indexOf('#') + 1) : undefined;
}
