import { describe, expect, test } from '@jest/globals';
import { renderTrace } from '../../src/vortex/index.ts';
import { answerOf, decisionOf, difference, isRecorded, mapCases, normal, recordedTraces } from './recorded-cases.ts';

/** Recorded cases that are not expected to agree, by the reason why. */
const NOT_YET: { readonly [reason: string]: readonly string[] } = {
  'it is about the options of Galaxy, which has none here': [
    'test_mapper_basic/TestMapperConfigHandling/test_map_with_both_path_and_yaml_config#1',
    'test_mapper_basic/TestMapperConfigHandling/test_map_with_no_config#1',
  ],
  'its rank function asks an HTTP server, which rules cannot do here': [
    'test_scenarios/TestScenarios/test_scenario_admin_group_user#1',
    'test_scenarios/TestScenarios/test_scenario_jenkins_bot_user#1',
    'test_scenarios/TestScenarios/test_scenario_job_too_small_for_high_memory_node#1',
    'test_scenarios/TestScenarios/test_scenario_node_offline_high_cpu#1',
    'test_scenarios/TestScenarios/test_scenario_non_pulsar_enabled_job#1',
    'test_scenarios/TestScenarios/test_scenario_too_many_highmem_jobs#1',
    'test_scenarios/TestScenarios/test_scenario_trinity_with_rules#1',
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

  test(`the same answer as TPV in ${cases.length - excused.size} of ${cases.length} cases`, () => {
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
  const decided = (isRecorded ? mapCases('cases-production.jsonl') : []).map((recordedCase) => ({
    recordedCase,
    answer: answerOf(decisionOf(recordedCase)),
  }));
  // Some import modules of Python that have no stand-in yet; they count as soon as it is there.
  const possible = decided.filter(({ answer }) => answer['error'] !== 'ModuleNotFoundError');

  test(`the same answer as TPV in ${possible.length} of ${decided.length} cases`, () => {
    const wrong = possible.map(({ recordedCase, answer }) => ({
      id: recordedCase.id,
      wrong: difference(recordedCase.expect, answer),
    }));
    expect(wrong.filter((one) => one.wrong !== undefined)).toEqual([]);
    expect(possible.length).toBeGreaterThan(isRecorded ? 500 : -1);
  });
});
