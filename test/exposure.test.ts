import { describe, expect, test } from '@jest/globals';
import { exposureOf, type MachineGuards } from '../src/exposure.ts';
import { readSite } from '../src/site/read.ts';
import type { Site } from '../src/site/site.ts';

const BARE: MachineGuards = { root: false, sandbox: false };

function siteWith(destination: string, more = ''): Site {
  const reading = readSite(
    '/srv/site.yml',
    `rules: [rules.yml]\n${more}\ndestinations: {here: {cores: 8, memory: 16GiB, ${destination}}}`,
  );
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.site;
}
const PROGRAMS = 'runner: process, task-types: [executable]';
const JUPYTER =
  'runner: notebook, task-types: [jupyter-notebook], notebook: {jupyter: /usr/bin/python3';
const TOKENS = 'identity: {anonymous: false}';
function exposed(site: Site, machine: MachineGuards, host = '127.0.0.1'): string | undefined {
  return exposureOf(site, { host }, () => machine);
}

describe("a service that runs anybody's programs with its own account", () => {
  test.each([
    ['programs', PROGRAMS],
    ['the notebooks of the machine', `${JUPYTER}}`],
  ])('warns where there is no sandbox: %s', (_, destination) => {
    expect(exposed(siteWith(destination), BARE)).toMatch(
      /anybody who reaches this service runs programs with your account \(destination here\)/,
    );
  });

  test.each([
    ['as root, jobs have users of their own', PROGRAMS, '', { root: true, sandbox: false }],
    ['there is a sandbox', PROGRAMS, '', { root: false, sandbox: true }],
    ['the site wants none', `${PROGRAMS}, process: {isolation: none}`, '', BARE],
    ['the site wants none for notebooks', `${JUPYTER}, isolation: none}`, '', BARE],
    [
      'the built-in Python has walls of its own',
      'runner: notebook, task-types: [jupyter-notebook]',
      '',
      BARE,
    ],
    ['nobody asks without a credential', PROGRAMS, TOKENS, BARE],
  ])('does not warn where %s', (_, destination, more, machine) => {
    for (const host of ['127.0.0.1', '0.0.0.0'])
      expect(exposed(siteWith(destination, more), machine, host)).toBeUndefined();
  });

  test.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1', '[::1]'])(
    'starts on this machine only: HOST %s',
    (host) => {
      expect(exposed(siteWith(PROGRAMS), BARE, host)).toBeDefined();
    },
  );

  test.each(['0.0.0.0', '::', '192.168.1.5', 'planner.lan', 'fe80::1'])(
    'does not start for others: HOST %s',
    (host) => {
      expect(() => exposed(siteWith(PROGRAMS), BARE, host)).toThrow(
        new RegExp(`^With HOST ${host.replaceAll('.', '\\.')}, anybody .* isolation: none`),
      );
    },
  );
});
