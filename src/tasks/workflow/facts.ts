import type { KnownSources } from '../../sources/known.ts';
import { gatherKnown, withoutFragment } from '../../workflows/gather.ts';
import {
  workflowFault,
  type Faulty,
  type WorkflowFacts,
  type WorkflowFault,
  type WorkflowLanguage,
} from '../../workflows/language.ts';
import { shown, type Source, type WorkflowTask } from '../task.ts';
import { checkUrl, type UrlPolicy } from '../url-policy.ts';
import { givenNames } from './inputs.ts';

type Judged = Faulty | { readonly ok: true; readonly facts: WorkflowFacts | undefined };

/**
 * Judges a workflow with what is known of it, and keeps its facts.
 *
 * @param inputs what the ask gives it, which nobody has checked
 * @param sources what URLs hold; what is not there is found the next time, or never
 * @returns no facts for what nobody has read
 */
export function judgeWorkflow(
  language: WorkflowLanguage,
  source: Source,
  inputs: unknown,
  policy: UrlPolicy,
  sources: KnownSources | undefined,
): Judged {
  const url = source.kind === 'url' ? source.url : undefined;
  const first = url === undefined ? undefined : sources?.find(withoutFragment(url));
  const text = source.kind === 'inline' ? source.text : first?.kind === 'text' ? first.text : null;
  if (text === null) return UNKNOWN;
  const find = (other: string): string | null | undefined => {
    const found = checkUrl(other, policy).ok ? sources?.find(other) : undefined;
    return found?.kind === 'unread' ? null : found?.text;
  };
  const gathered = gatherKnown(language, text, url, find, givenNames(inputs));
  if (!gathered.ok) return { ok: false, fault: shownFault(gathered.fault) };
  for (const asked of gathered.missing) {
    const checked = checkUrl(asked, policy);
    if (checked.ok) continue;
    const { fault } = workflowFault('workflow-reference', checked.text, asked, checked.limit);
    return { ok: false, fault: shownFault(fault) };
  }
  if (gathered.missing.length > 0) return UNKNOWN;
  const judged = language.factsOf({ url, text, others: gathered.documents, inputs });
  if (!judged.ok) return { ok: false, fault: shownFault(judged.fault) };
  const found = shownFacts(judged.facts);
  facts.set(source, found);
  return { ok: true, facts: found };
}

/** What is known of a workflow; undefined: nothing, because nobody has read all of its URLs. */
export function workflowFactsOf({ workflow }: WorkflowTask): WorkflowFacts | undefined {
  return facts.get(workflow);
}

/** A fault in words that are safe to show: a document may have any characters. */
export function shownFault({ code, text, asked, limit }: WorkflowFault): WorkflowFault {
  return {
    code,
    text: shown(text, LONGEST_TEXT),
    ...(asked !== undefined && { asked: shown(asked) }),
    ...(limit !== undefined && { limit: shown(limit) }),
  };
}

const LONGEST_TEXT = 600;

const UNKNOWN: Judged = { ok: true, facts: undefined };

const facts = new WeakMap<Source, WorkflowFacts>();

function shownFacts({ version, least }: WorkflowFacts): WorkflowFacts {
  return {
    version: version === undefined ? undefined : shown(version),
    least: least.map((need) => ({ ...need, step: shown(need.step) })),
  };
}
