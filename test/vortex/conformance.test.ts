import { describe, expect, test } from '@jest/globals';
import { renderTrace } from '../../src/vortex/index.ts';
import { answerOf, decisionOf, difference, isRecorded, mapCases, normal, recordedTraces } from './recorded-cases.ts';

/** Recorded cases that are not expected to agree, by the reason why. */
const NOT_YET: { readonly [reason: string]: readonly string[] } = {
  'it is about the options of Galaxy, which has none here': [
    'test_mapper_basic/TestMapperConfigHandling/test_map_with_both_path_and_yaml_config#1',
    'test_mapper_basic/TestMapperConfigHandling/test_map_with_no_config#1',
  ],
};

const excused = new Map(Object.entries(NOT_YET).flatMap(([reason, ids]) => ids.map((id) => [id, reason])));

describe('mappings recorded from the real TPV', () => {
  const cases = isRecorded ? mapCases('cases.jsonl') : [];
  const decided = cases.map((recordedCase) => ({ recordedCase, decision: decisionOf(recordedCase) }));
  const results = decided.map(({ recordedCase, decision }) => ({
    id: recordedCase.id,
    wrong: difference(recordedCase.expect, answerOf(decision)),
  }));

  test(`the same answer as TPV in ${cases.filter(({ id }) => !excused.has(id)).length} of ${cases.length} cases`, () => {
    expect(results.filter(({ id, wrong }) => wrong !== undefined && !excused.has(id))).toEqual([]);
  });

  test('every case that is excused does differ', () => {
    expect(results.filter(({ id, wrong }) => wrong === undefined && excused.has(id))).toEqual([]);
  });

  test('the trace reads as TPV prints it', () => {
    const traces = isRecorded ? recordedTraces() : new Map<string, string>();
    const compared = decided.flatMap(({ recordedCase: { id }, decision }) => {
      const trace = traces.get(id);
      return trace === undefined || typeof decision === 'string' || excused.has(id)
        ? []
        : [{ id, ours: normal(renderTrace(decision.trace)), theirs: normal(trace) }];
    });
    expect(compared.filter(({ ours, theirs }) => ours !== theirs)).toEqual([]);
    expect(compared.length).toBeGreaterThan(isRecorded ? 120 : -1);
  });
});

describe('mappings recorded on the deployed rules of four sites', () => {
  const cases = isRecorded ? mapCases('cases-production.jsonl') : [];

  test(`the same answer as TPV in all ${cases.length} cases`, () => {
    const wrong = cases.map((one) => ({ id: one.id, wrong: difference(one.expect, answerOf(decisionOf(one))) }));
    expect(wrong.filter((one) => one.wrong !== undefined)).toEqual([]);
  });
});
