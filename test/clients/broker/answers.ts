import { load } from 'js-yaml';
import { isRecord } from '../../../src/words/record.ts';
import { KINDS, openJudge, TYPES_V1 } from '../../harness/broker/judge.ts';

/** An answer as a client got it. */
export type WireAnswer = {
  /** or only its path */
  readonly url: string;
  readonly status: number;
  readonly text: string;
};

/** Properties of answers that the published schema has not, by names. */
const OWN_PROPERTIES = new Set(['extras']);

/**
 * What the published schema says against answers.
 *
 * @param generation whose kinds the answers have: those of the schema, or those of the broker that
 *   ran before it, whose documents have the same form
 */
export function judgeAnswers(
  answers: readonly WireAnswer[],
  generation: 'kinds' | 'types-v1' = 'kinds',
): readonly string[] {
  const judge = openJudge(
    generation === 'kinds'
      ? undefined
      : (kind) => kind.replace(KINDS, TYPES_V1).replace(/\.yaml$/, '-1.0'),
  );
  return answers.flatMap(({ url, status, text }) => {
    const { pathname } = new URL(url, 'http://service');
    const document: unknown = load(text);
    const schema = schemaOf(pathname, document);
    const place = `${status} ${pathname}`;
    if (status >= 500) return [`${place}: ${text}`];
    // Problem documents have no schema.
    if (schema === undefined) return status >= 400 ? [] : [`${place}: what is it? ${text}`];
    const { faults, extras } = judge(schema, document);
    return [
      ...faults,
      ...extras.filter((pointer) => !OWN_PROPERTIES.has(pointer.split('/').at(-1) ?? '')),
    ].map((fault) => `${place}: ${fault}`);
  });
}

function schemaOf(path: string, document: unknown): string | undefined {
  if (!isRecord(document)) return undefined;
  if ('result' in document && /^\/(requests|offersets)\b/.test(path)) return 'OfferSetResponse';
  if ('phase' in document && /^\/(direct|sessions)\b/.test(path)) return 'AbstractExecutionSession';
  return undefined;
}
