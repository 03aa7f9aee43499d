import { loadRules } from '../../src/vortex/index.ts';
import type { Json } from '../../src/vortex/index.ts';
import { jsonShape } from '../../src/vortex/job-parse.ts';
import { list, nullable, object, table, stringShape } from '../../src/vortex/shape.ts';
import { IncompatibleTags, tagClauses, TagSet } from '../../src/vortex/entity/tags.ts';
import { answerDifference } from './difference.ts';
import type { RecordedCase } from './folder.ts';

const lists = object(
  {},
  {
    require: nullable(list(stringShape)),
    prefer: nullable(list(stringShape)),
    accept: nullable(list(stringShape)),
    reject: nullable(list(stringShape)),
  },
);
const tagsCase = object({ a: lists, b: lists, expect: table(jsonShape) });
const validateCase = object({ a: jsonShape, expect: object({ message_contains: stringShape }) });

/** Compares inherit, combine, match and score of two tag sets. */
export function judgeTags({ fields }: RecordedCase): string | undefined {
  const { a: left, b: right, expect } = tagsCase(fields, 'case');
  const [a, b] = [new TagSet(left), new TagSet(right)];
  return answerDifference(expect, {
    inherit_a_over_b: a.inherit(b).toJSON(),
    combine_a_with_b: combined(a, b),
    match: tagClauses(a, b).length === 0,
    score_a_against_b: a.score(b),
  });
}

/** Compares the refusal of a file with these tags. */
export function judgeTagValidation({ fields }: RecordedCase): string | undefined {
  const { a, expect } = validateCase(fields, 'case');
  const loaded = loadRules([
    { name: 'tags', text: JSON.stringify({ tools: { x: { scheduling: a } } }) },
  ]);
  if (loaded.ok) return 'the tags are accepted';
  const message = loaded.problems.map((problem) => problem.message).join('; ');
  return message.includes(expect.message_contains)
    ? undefined
    : `${message} without ${expect.message_contains}`;
}

/** In TPV, `b` overrides `a`. */
function combined(a: TagSet, b: TagSet): Json {
  try {
    return b.combine(a).toJSON();
  } catch (error) {
    if (error instanceof IncompatibleTags) return { error: error.name, message: error.message };
    throw error;
  }
}
