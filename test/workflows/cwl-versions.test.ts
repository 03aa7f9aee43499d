import { describe, expect, test } from '@jest/globals';
import { cwl } from '../../src/workflows/cwl/cwl.ts';

const HERE = 'https://e.org/a/main.cwl';
const TOOL = 'class: CommandLineTool\nbaseCommand: echo\ninputs: []\noutputs: []\n';

/** The version of a workflow that runs other documents. */
function versionOf(run: string, others: Readonly<Record<string, string>>): unknown {
  const text =
    `cwlVersion: v1.0\nclass: Workflow\ninputs: []\noutputs: []\n` +
    `requirements: { SubworkflowFeatureRequirement: {} }\nsteps: [{ id: a, run: ${run} }]\n`;
  const beside = Object.entries(others).map(
    ([path, of]) => [new URL(path, HERE).href, of] as const,
  );
  const found = cwl.factsOf({ url: HERE, text, others: new Map(beside) });
  return found.ok ? found.facts.version : found.fault;
}

describe('the version of a workflow in CWL', () => {
  test.each([
    ['v1.2', 'v1.2'],
    ['v1.0', 'v1.0'],
    ['v1.9', 'v1.9'],
    ['v1.10', 'v1.10'],
  ])('is the newest of the documents that it runs: v1.0 and %s', (inner, newest) => {
    const middle = `cwlVersion: v1.0\nclass: Workflow\nsteps: [{ id: b, run: tool.cwl }]\n`;
    const tool = `cwlVersion: ${inner}\n${TOOL}`;
    expect(versionOf('tool.cwl', { 'tool.cwl': tool })).toBe(newest);
    expect(versionOf('b.cwl', { 'b.cwl': middle, 'tool.cwl': tool })).toBe(newest);
  });

  test('is that of the document into which others are imported, which say none', () => {
    expect(versionOf('{ $import: tool.cwl }', { 'tool.cwl': TOOL })).toBe('v1.0');
    expect(versionOf('{ class: Operation }', {})).toBe('v1.0');
  });

  test.each([
    ['none', TOOL, { text: 'tool.cwl has no cwlVersion' }],
    [
      'one from before CWL',
      `cwlVersion: draft-3\n${TOOL}`,
      { text: 'the cwlVersion of tool.cwl is not known', asked: 'draft-3' },
    ],
  ])('is refused where a document that it runs says %s', (_what, tool, fault) => {
    expect(versionOf('tool.cwl', { 'tool.cwl': tool })).toMatchObject({
      code: 'workflow-invalid',
      ...fault,
    });
  });

  test.each([
    '%YAML 1.1\n---\n',
    '#!/usr/bin/env cwl-runner\r\n\r\n%YAML 1.1\r\n---\r\n',
    '%YAML 1.2\n---\n',
  ])('is read whatever version of YAML the document names: %j', (head) => {
    const found = cwl.factsOf({
      url: HERE,
      text: `${head}cwlVersion: v1.1\n${TOOL}`,
      others: new Map(),
    });
    expect(found).toMatchObject({ ok: true, facts: { version: 'v1.1' } });
  });
});
