import { describe, expect, test } from '@jest/globals';
import { unheldMinima } from '../src/minima.ts';
import { readSite } from '../src/site/read.ts';
import type { Site } from '../src/site/site.ts';

function BARE() {
  return { cgroups: undefined };
}
function HELD() {
  return { cgroups: { version: 2, memory: '/c', pids: '/c', cpu: '/c' } as const };
}

function siteWith(destination: string): Site {
  const reading = readSite(
    '/srv/site.yml',
    `rules: [rules.yml]\ndestinations: {here: {cores: 8, memory: 16GiB, ${destination}}}`,
  );
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.site;
}
const PROGRAMS = 'runner: process, task-types: [executable]';
const NOTEBOOKS = 'runner: notebook, task-types: [jupyter-notebook]';
const KUBERNETES =
  'runner: kubernetes, task-types: [oci-container], kubernetes: {namespace: jobs, claim: jobs}';
const BURST = 'burst: {cores: 2, memory: 2}';

describe('jobs that may go beyond their minimum', () => {
  test.each([
    ['there are no cgroups', `${PROGRAMS}, ${BURST}`, BARE, 'no cgroups can be made here'],
    [
      'there are no cgroups for notebooks',
      `${NOTEBOOKS}, ${BURST}`,
      BARE,
      'no cgroups can be made here',
    ],
    [
      'the site wants none',
      `${PROGRAMS}, ${BURST}, process: {isolation: none}`,
      HELD,
      'its isolation is none',
    ],
    [
      'the site wants none for notebooks',
      `${NOTEBOOKS}, ${BURST}, notebook: {isolation: none}`,
      HELD,
      'its isolation is none',
    ],
  ])('get a warning that minima are not enforced where %s', (_, destination, machine, why) => {
    expect(unheldMinima(siteWith(destination), machine)).toEqual([
      expect.stringMatching(new RegExp(`^destinations\\.here has burst, and ${why}: `)),
    ]);
  });

  test.each([
    ['there are cgroups', `${PROGRAMS}, ${BURST}`, HELD],
    ['there is no burst', PROGRAMS, BARE],
    ['the engine is a cluster', `${KUBERNETES}, ${BURST}`, BARE],
  ])('get no warning where %s', (_, destination, machine) => {
    expect(unheldMinima(siteWith(destination), machine)).toEqual([]);
  });
});
