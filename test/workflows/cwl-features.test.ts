import { describe, expect, test } from '@jest/globals';
import { cwl } from '../../src/workflows/cwl/cwl.ts';

const HERE = 'https://e.org/a/main.cwl';
const [SUB, SCATTER] = ['SubworkflowFeatureRequirement', 'ScatterFeatureRequirement'];
const [MULTIPLE, EXPRESSION] = [
  'MultipleInputFeatureRequirement',
  'StepInputExpressionRequirement',
];

type Fields = Readonly<Record<string, unknown>>;

const tool = { class: 'CommandLineTool', baseCommand: 'true', inputs: { x: 'Any' }, outputs: {} };
const inner = { class: 'Workflow', inputs: { x: 'Any' }, outputs: {}, steps: {} };

/** What is wrong with a workflow of one step `s`, as told by its text. */
function faultOf(step: Fields, more: Fields = {}, inputs: Fields = {}, imported = ''): unknown {
  const text = JSON.stringify({
    cwlVersion: 'v1.2',
    class: 'Workflow',
    inputs: { a: 'Any', b: 'Any' },
    outputs: {},
    steps: { s: { run: tool, in: { x: 'a' }, out: [], ...step } },
    ...more,
  });
  const others = new Map([['https://e.org/a/needs.yml', imported]]);
  const found = cwl.factsOf({ url: HERE, text, others, inputs });
  return found.ok ? undefined : `${found.fault.code}: ${found.fault.text}`;
}

const USES: readonly (readonly [string, Fields, string, boolean])[] = [
  [`runs a workflow without ${SUB}`, { run: inner }, SUB, true],
  [`scatters without ${SCATTER}`, { scatter: 'x' }, SCATTER, true],
  [
    `has an input of several sources without ${MULTIPLE}`,
    { in: { x: { source: ['a', 'b'] } } },
    MULTIPLE,
    false,
  ],
  [
    `has an input of several sources without ${MULTIPLE}`,
    { in: { x: ['a', 'b'] } },
    MULTIPLE,
    false,
  ],
  [
    `has an input with valueFrom without ${EXPRESSION}`,
    { in: [{ id: 'x', valueFrom: 'z' }] },
    EXPRESSION,
    false,
  ],
];

// Each answer here is that of cwltool, which gives some of them only when the step begins.
describe('a workflow in CWL that uses what needs a requirement', () => {
  test.each(USES)('is refused as cwltool does: a step %s', (what, step, feature, ofStep) => {
    const fault = `workflow-invalid: the step s ${what}`;
    const needs = { [feature]: {} };
    expect(faultOf(step)).toBe(fault);
    // What the process of a step says is of the process alone.
    const own = { ...step, run: { ...inner, requirements: needs } };
    expect(faultOf(own, feature === SUB ? {} : { hints: { [SUB]: {} } })).toBe(fault);
    for (const key of ['requirements', 'hints']) {
      expect(faultOf(step, { [key]: needs })).toBeUndefined();
      expect(faultOf(step, { [key]: [{ class: feature }] })).toBeUndefined();
      expect(faultOf({ ...step, [key]: needs })).toBe(ofStep ? undefined : fault);
    }
    const imported = { requirements: [{ $import: 'needs.yml' }] };
    expect(faultOf(step, imported, {}, `class: ${feature}\n`)).toBeUndefined();
    expect(faultOf(step, imported, {}, 'class: InlineJavascriptRequirement\n')).toBe(fault);
    // What the inputs bring is of the workflow alone.
    const brought = { 'cwl:requirements': [{ class: feature }] };
    expect(faultOf(step, {}, brought)).toBe(ofStep ? fault : undefined);
  });

  test('is refused for an output of several sources, and not for a list of one', () => {
    const outputs = (outputSource: unknown) => ({ outputs: { o: { type: 'Any', outputSource } } });
    const fault = `workflow-invalid: the workflow has an output of several sources without ${MULTIPLE}`;
    expect(faultOf({}, outputs(['a', 'b']))).toBe(fault);
    expect(
      faultOf({}, { ...outputs(['a', 'b']), requirements: { [MULTIPLE]: {} } }),
    ).toBeUndefined();
    expect(faultOf({ in: { x: { source: ['a'] } } }, outputs(['a']))).toBeUndefined();
    expect(faultOf({}, { outputs: { o: ['null', 'string'] } })).toBeUndefined();
  });

  test('is refused for a step of a workflow inside of it, which inherits what is around it', () => {
    const run = { ...inner, steps: { t: { run: tool, in: { x: 'x' }, out: [], scatter: 'x' } } };
    expect(faultOf({ run }, { requirements: { [SUB]: {} } })).toBe(
      `workflow-invalid: the step s/t scatters without ${SCATTER}`,
    );
    expect(faultOf({ run }, { requirements: { [SUB]: {}, [SCATTER]: {} } })).toBeUndefined();
  });
});
