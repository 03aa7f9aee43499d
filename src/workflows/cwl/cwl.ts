import { withoutFragment } from '../gather.ts';
import { workflowFault, type WorkflowLanguage } from '../language.ts';
import { plainDocument } from '../plain.ts';
import { cwlFacts, isCoveredVersion } from './facts.ts';
import { requirementsIn, whyNoCwlInput } from './inputs.ts';
import { localisedCwl } from './localised.ts';
import { disguisedKey } from './names.ts';
import { cwlReferences } from './references.ts';
import { withoutReplaced } from './replaced.ts';

/** The Common Workflow Language, v1.0 and later. */
export const cwl: WorkflowLanguage = {
  name: 'cwl',
  referencesOf: (text, base, start) => {
    const document = plainDocument(text, base ?? 'the workflow');
    if (!document.ok) return document;
    const key = disguisedKey(document.value);
    if (key !== undefined)
      return workflowFault(
        'workflow-invalid',
        'the names of CWL have no prefix in a document',
        key.slice(0, 200),
      );
    const { url, given } = start ?? { url: base, given: new Set<string>() };
    const isFirst = base === (url && withoutFragment(url));
    const used = isFirst ? withoutReplaced(document.value, fragmentOf(url), given) : document.value;
    return cwlReferences(used, base);
  },
  factsOf: ({ url, text, others, inputs }) => {
    const base = url === undefined ? undefined : withoutFragment(url);
    const documents = new Map<string, unknown>();
    for (const [where, what] of [[base ?? '', text] as const, ...others]) {
      const document = plainDocument(what, where === '' ? 'the workflow' : where);
      if (!document.ok) return document;
      documents.set(where, document.value);
    }
    return cwlFacts(documents, base, fragmentOf(url), requirementsIn(inputs));
  },
  whyNoInput: whyNoCwlInput,
  localised: localisedCwl,
  isCovered: isCoveredVersion,
};

function fragmentOf(url: string | undefined): string | undefined {
  return url?.includes('#') === true ? url.slice(url.indexOf('#') + 1) : undefined;
}
