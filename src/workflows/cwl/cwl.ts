import { withoutFragment } from '../gather.ts';
import type { WorkflowLanguage } from '../language.ts';
import { plainDocument } from '../plain.ts';
import { cwlFacts, isCoveredVersion } from './facts.ts';
import { whyNoCwlInput } from './inputs.ts';
import { localisedCwl } from './localised.ts';
import { cwlReferences } from './references.ts';

/** The Common Workflow Language, v1.0 and later. */
export const cwl: WorkflowLanguage = {
  name: 'cwl',
  referencesOf: (text, base) => {
    const document = plainDocument(text, base ?? 'the workflow');
    return document.ok ? cwlReferences(document.value, base) : document;
  },
  factsOf: ({ url, text, others }) => {
    const base = url === undefined ? undefined : withoutFragment(url);
    const documents = new Map<string, unknown>();
    for (const [where, what] of [[base ?? '', text] as const, ...others]) {
      const document = plainDocument(what, where === '' ? 'the workflow' : where);
      if (!document.ok) return document;
      documents.set(where, document.value);
    }
    const fragment = url?.includes('#') === true ? url.slice(url.indexOf('#') + 1) : undefined;
    return cwlFacts(documents, base, fragment);
  },
  whyNoInput: whyNoCwlInput,
  localised: localisedCwl,
  isCovered: isCoveredVersion,
};
