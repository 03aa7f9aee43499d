import { describe, expect, test } from '@jest/globals';
import { processorTime } from '../harness/time/processor-time.ts';
import { cwl } from '../../src/workflows/cwl/cwl.ts';
import { waitingSteps } from '../../src/workflows/cwl/links.ts';
import { gatherKnown } from '../../src/workflows/gather.ts';
import { plainDocument } from '../../src/workflows/plain.ts';

const HERE = 'https://example.org/a/main.cwl';

/** A workflow that imports documents with numbered queries. */
function importing(count: number): string {
  const imports = Array.from({ length: count }, (_, at) => ({ $import: `b.cwl?${at}` }));
  return JSON.stringify({ cwlVersion: 'v1.2', class: 'Workflow', hints: imports, steps: [] });
}

const SUBWORKFLOWS = { class: 'SubworkflowFeatureRequirement' };

describe('large workflows', () => {
  test('a document that is known by many URLs is read once', () => {
    const text = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => at));
    const others = new Map<string, string>(
      Array.from({ length: 30 }, (_, at) => [`https://example.org/a/b.cwl?${at}`, text]),
    );
    const begun = processorTime();
    for (let round = 0; round < 10; round += 1) {
      const gathered = gatherKnown(cwl, importing(30), HERE, (url) => others.get(url));
      expect(gathered).toMatchObject({ ok: true, missing: [] });
      expect(cwl.factsOf({ url: HERE, text: importing(30), others })).toMatchObject({ ok: true });
    }
    // Read each time, it is read 600 times.
    expect(processorTime() - begun).toBeLessThan(20_000);
    const [one, again] = [plainDocument(text, 'one'), plainDocument(text, 'again')];
    expect(one.ok && again.ok && one.value === again.value && Object.isFrozen(one.value)).toBe(
      true,
    );
  });

  test('a document that cannot be read is named as each reader knows it', () => {
    for (const where of ['one.cwl', 'other.cwl'])
      expect(plainDocument('a: [', where)).toMatchObject({
        ok: false,
        fault: { text: expect.stringMatching(`^${where} cannot be read`) },
      });
  });

  test('documents with together more than 4,000,000 characters are refused', () => {
    const find = (): string => `a: 1 #${'x'.repeat(990_000)}`;
    expect(gatherKnown(cwl, importing(4), HERE, find)).toMatchObject({ ok: true });
    expect(gatherKnown(cwl, importing(5), HERE, find)).toMatchObject({
      ok: false,
      fault: { code: 'workflow-invalid', asked: 'https://example.org/a/b.cwl?4', limit: '4000000' },
    });
  });

  test('thousands of steps share the long lists of what is around them, and a long graph', () => {
    const tools = Array.from({ length: 4000 }, (_, at) => ({
      id: `tool${at}`,
      class: 'CommandLineTool',
    }));
    const hints = [{ class: 'ResourceRequirement', coresMin: 2 }];
    const steps = tools.map(({ id }) => ({ id, run: `#${id}` }));
    const main = { id: 'main', class: 'Workflow', hints, steps };
    const last = { cwlVersion: 'v1.2', $graph: [...tools, main] };
    const requirements = Array.from({ length: 15_000 }, (_, at) =>
      at === 0 ? SUBWORKFLOWS : { class: 'Other' },
    );
    const texts = Array.from({ length: 10 }, (_, at): [string, string] => {
      const inner = [{ id: 'in', run: `w${at + 1}.cwl` }];
      const outer = { cwlVersion: 'v1.2', class: 'Workflow', id: `${at}`, requirements };
      return [`https://example.org/a/w${at}.cwl`, JSON.stringify({ ...outer, steps: inner })];
    });
    const [[url, text] = ['', ''], ...others] = texts;
    others.push(['https://example.org/a/w10.cwl', JSON.stringify(last)]);
    const begun = processorTime();
    expect(cwl.factsOf({ url, text, others: new Map(others) })).toMatchObject({
      ok: true,
      facts: { least: [{ resource: 'cores', amount: 2000 }] },
    });
    expect(processorTime() - begun).toBeLessThan(20_000);
  });

  test('a workflow that many steps run is searched once for steps that wait for each other', () => {
    const process = { steps: { a: { in: { x: 'b/y' } }, b: { in: { x: 'a/y' } } } };
    const waiting = waitingSteps(process);
    expect(waiting).toEqual(['a', 'b']);
    expect(waitingSteps(process)).toBe(waiting);
  });

  test('a workflow that many steps run has its long list read once', () => {
    const steps = Array.from({ length: 2500 }, (_, at) => ({ id: `s${at}`, run: '#S' }));
    const main = { id: 'main', class: 'Workflow', requirements: [SUBWORKFLOWS], steps };
    const inner = { id: 'S', class: 'Workflow', steps: Array(40_000).fill(0) };
    const text = JSON.stringify({ cwlVersion: 'v1.2', $graph: [main, inner] });
    const begun = processorTime();
    expect(cwl.factsOf({ url: undefined, text, others: new Map() })).toMatchObject({ ok: true });
    // Read each time, it takes ten seconds.
    expect(processorTime() - begun).toBeLessThan(5000);
  });

  test('addresses that are too long, or too many, are refused before they are followed', () => {
    const patterns = ['1', '2', '3', '4', '5'].map((end) => `.${end}`);
    const inputOf = (location: string): object => ({
      secondaryFiles: patterns,
      default: { class: 'File', location },
    });
    const faultOf = (inputs: readonly object[]): unknown => {
      const text = JSON.stringify({ cwlVersion: 'v1.2', class: 'Workflow', inputs });
      const found = cwl.referencesOf(text, HERE);
      return found.ok ? found.references.length : found.fault;
    };
    expect(faultOf([inputOf('a'.repeat(2001))])).toMatchObject({
      code: 'workflow-reference',
      text: 'an address in the workflow is too long',
      limit: '2000',
    });
    const inputs = Array.from({ length: 201 }, (_, at) => inputOf(`f${at}.fits`));
    expect(faultOf(inputs)).toMatchObject({ code: 'workflow-reference', limit: '200' });
    expect(faultOf(Array(201).fill(inputOf('f.fits')))).toBe(6);
  });

  test('of processes with one name the first is run', () => {
    const tool = { id: 'tool', class: 'CommandLineTool' };
    const hints = [{ class: 'ResourceRequirement', coresMin: 3 }];
    const main = { id: 'main', class: 'Workflow', steps: { only: { run: '#tool' } } };
    const text = JSON.stringify({ cwlVersion: 'v1.2', $graph: [{ ...tool, hints }, tool, main] });
    expect(cwl.factsOf({ url: undefined, text, others: new Map() })).toMatchObject({
      facts: { least: [{ amount: 3000 }] },
    });
  });
});
