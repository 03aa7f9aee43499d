import { describe, expect, test } from '@jest/globals';
import { builtInTypes } from '../../src/tasks/registry.ts';
import { workflowFactsOf } from '../../src/tasks/workflow/facts.ts';
import { isWorkflow } from '../../src/tasks/workflow/workflow.ts';
import { cwl } from '../../src/workflows/cwl/cwl.ts';

const FULL = 'https://w3id.org/cwl/cwl#';
const MEMORY = { class: 'ResourceRequirement', ramMin: 64_000 };
const NAMESPACES = '$namespaces: { q: "https://w3id.org/cwl/cwl#", e: "http://e.org/" }\n';

function tool(more = ''): string {
  return `cwlVersion: v1.2\nclass: CommandLineTool\nbaseCommand: echo\ninputs: []\noutputs: []\n${more}`;
}

const WORKFLOW = `cwlVersion: v1.2
class: Workflow
inputs: []
outputs: []
steps: { a: { in: [], out: [], run: ${JSON.stringify({ class: 'CommandLineTool' })} } }
`;

function leastOf(text: string, inputs?: object): unknown {
  const found = cwl.factsOf({ url: undefined, text, others: new Map(), inputs });
  return found.ok
    ? Object.fromEntries(found.facts.least.map(({ resource, amount }) => [resource, amount]))
    : found.fault;
}

describe('requirements among the inputs of a tool', () => {
  test.each(['cwl:requirements', `${FULL}requirements`, 'q:requirements'])(
    'go before its own, as cwltool has it: %s',
    (key) => {
      const own = tool('requirements: { ResourceRequirement: { ramMin: 99, coresMin: 2 } }\n');
      const inputs = { $namespaces: { q: FULL }, [key]: [MEMORY] };
      expect(leastOf(own, inputs)).toEqual({ memory: 64_000 });
      expect(leastOf(own, { q: [MEMORY], 'x:requirements': [MEMORY] })).toEqual({
        memory: 99,
        cores: 2000,
      });
    },
  );

  test('are those of the ask', () => {
    const type = builtInTypes.all.find(({ name }) => name === 'cwl-workflow');
    const spec = { workflow: tool(), inputs: { 'cwl:requirements': [MEMORY] } };
    const parsed = type?.parse(spec, { allowHosts: [], fileRoots: [] });
    expect(parsed?.ok && isWorkflow(parsed.task) && workflowFactsOf(parsed.task)).toMatchObject({
      least: [{ resource: 'memory', amount: 64_000, step: 'CommandLineTool' }],
    });
  });

  test('are none of the steps of a workflow', () => {
    expect(leastOf(WORKFLOW, { 'cwl:requirements': [MEMORY] })).toEqual({});
  });

  test('cannot be overridden in words of one interpreter', () => {
    const why = (key: string, more: object = {}): string | undefined =>
      cwl.whyNoInput?.(key, { ...more, [key]: {} });
    expect(why('http://commonwl.org/cwltool#overrides')).toMatch(/belong in cwl:requirements/);
    const $namespaces = { c: 'http://commonwl.org/cwltool#' };
    expect(why('c:overrides', { $namespaces })).toMatch(/belong in cwl:requirements/);
    expect(why('c:overrides')).toBeUndefined();
    expect(why('cwl:requirements')).toBeUndefined();
  });
});

describe('a document', () => {
  test.each([
    ['that sends interpreters to another one', 'cwl:tool: other.cwl\n', 'cwl:tool'],
    ['with a name in full', `${FULL}hints: [{ class: X }]\n`, `${FULL}hints`],
    ['with a prefix of its own', `${NAMESPACES}hints: [{ q:coresMin: 5 }]\n`, 'q:coresMin'],
    ['with a name within', 'hints: { cwl:ResourceRequirement: {} }\n', 'cwl:ResourceRequirement'],
  ])('%s is refused', (_what, more, asked) => {
    const text = tool(more);
    expect(cwl.referencesOf(text, 'https://e.org/tool.cwl')).toEqual({
      ok: false,
      fault: {
        code: 'workflow-invalid',
        text: 'the names of CWL have no prefix in a document',
        asked,
      },
    });
  });

  test('may have words of others, and classes with a prefix', () => {
    const text = tool(
      `${NAMESPACES}e:author: me\nhints: [{ class: cwl:ResourceRequirement, coresMin: 3 }]\n`,
    );
    expect(cwl.referencesOf(text, undefined)).toEqual({ ok: true, references: [] });
    expect(leastOf(text)).toEqual({ cores: 3000 });
  });

  test('with two requirements of a class has the last one', () => {
    const [one, other] = [2, 5].map(
      (cores) => `{ class: ResourceRequirement, coresMin: ${cores} }`,
    );
    expect(leastOf(tool(`requirements: [${one}, ${other}]\n`))).toEqual({ cores: 5000 });
  });
});
