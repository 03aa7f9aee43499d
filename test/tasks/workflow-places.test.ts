import { expect, test } from '@jest/globals';
import { workflowTypes } from '../../src/tasks/workflow/workflow.ts';

test('a workflow that refers to what nobody fetches on its own host is refused', () => {
  const main = 'file:///flows/main.cwl';
  const text =
    'cwlVersion: v1.2\nclass: Workflow\ninputs: []\noutputs: []\n' +
    'steps: { a: { run: ../etc/secret.cwl, in: [], out: [] } }\n';
  const parsed = workflowTypes['cwl-workflow'].parse(
    { workflow: main },
    { allowHosts: [], fileRoots: ['/flows'] },
    { find: (url) => (url === main ? { kind: 'text', text } : undefined) },
  );
  expect(parsed).toMatchObject({
    problems: [{ code: 'workflow-reference', asked: 'file:///etc/secret.cwl', limit: '/flows' }],
  });
});
