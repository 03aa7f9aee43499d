import { describe, expect, test } from '@jest/globals';
import { printProblem } from '../../src/site/load.ts';
import { readSite } from '../../src/site/read.ts';

const DESTINATION = 'runner: process, task-types: [executable], cores: 4, memory: 8GiB';
const EURO = 'https://example.org/costs/euro';
function costsOf(text: string): readonly unknown[] {
  const reading = readSite('/site.yml', text);
  if (!reading.ok) throw new Error(reading.problems.map(printProblem).join('\n'));
  return [...reading.site.destinations.values()].map(({ costs }) => costs);
}
function problemsOf(costs: string): readonly string[] {
  const reading = readSite('/site.yml', siteFile(costs));
  return reading.ok ? [] : reading.problems.map(printProblem);
}
function siteFile(costs: string, own = ''): string {
  return `rules: [rules.yml]
destinations:
  here: { ${DESTINATION} }
  there: { ${DESTINATION}${own} }
${costs}`;
}

describe('costs in a site file', () => {
  const euro = {
    type: EURO,
    description: undefined,
    core: 0.02,
    memory: 0,
    gpu: 0,
    storage: 0,
    job: 0,
  };

  test('are none where it says nothing', () => {
    expect(costsOf(siteFile(''))).toEqual([[], []]);
  });

  test('of the site hold for destinations without costs of their own', () => {
    const file = siteFile(`costs: [{ type: "${EURO}", core: 0.02 }]`);
    expect(costsOf(file)).toEqual([[euro], [euro]]);
    const other = siteFile(
      `costs: [{ type: "${EURO}", core: 0.02 }]`,
      ', costs: [{ type: "urn:co2", description: grams, job: 1, memory: 2, gpu: 3, storage: 4 }]',
    );
    expect(costsOf(other)).toEqual([
      [euro],
      [{ type: 'urn:co2', description: 'grams', core: 0, memory: 2, gpu: 3, storage: 4, job: 1 }],
    ]);
    expect(costsOf(siteFile(`costs: [{ type: "${EURO}", core: 0.02 }]`, ', costs: []'))).toEqual([
      [euro],
      [],
    ]);
  });

  test('with a mistake name line, column and what is right', () => {
    expect(
      problemsOf(`costs:
- { type: euro, core: 1 }
- { core: 1 }
- { type: "urn:a" }
- { type: "urn:b", core: -1, job: free }
- { type: "urn:c", cores: 1, job: 1 }
- { type: "urn:c", gpu: 1 }
- 5
`),
    ).toEqual([
      "/site.yml:6:11: costs[0].type cannot be 'euro' (an absolute URI, for example " +
        'https://example.org/costs/euro)',
      "/site.yml:7:3: costs[1] needs 'type' (an absolute URI, for example " +
        'https://example.org/costs/euro)',
      '/site.yml:8:3: costs[2] names no rate (at least one of core, memory, gpu, storage, job)',
      '/site.yml:9:26: costs[3].core must be at least 0 and at most 1000000000000, not -1',
      "/site.yml:9:35: costs[3].job must be a number, not the string 'free'",
      "/site.yml:10:20: costs[4] has no key 'cores' (did you mean 'core'?)",
      "/site.yml:11:3: costs has 'urn:c' twice (one entry for each type)",
      '/site.yml:12:3: costs[6] must be a mapping, not the number 5',
    ]);
    expect(problemsOf('costs: { type: "urn:a" }')).toEqual([
      '/site.yml:5:8: costs must be a list, not a mapping',
    ]);
  });
});
