import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatRules } from '../../src/vortex/tools/format.ts';
import { mergeFiles } from '../../src/vortex/file/merge-files.ts';
import { plainFile } from '../../src/vortex/tools/plain-file.ts';
import { isRecorded, SHARED } from '../conformance/folder.ts';
import { layouts } from './layouts.ts';

/** The files of a folder that change their meaning when they are formatted. */
function lostIn(folder: URL): readonly string[] {
  return filesOf(folder)
    .filter((file) => {
      const text = readFileSync(file, 'utf8');
      return JSON.stringify(saysOf(formatted(text))) !== JSON.stringify(saysOf(text));
    })
    .map(String);
}

/** The files of a folder and those below it. */
function filesOf(folder: URL): readonly URL[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yml'))
    .map((name) => new URL(name, folder));
}

function saysOf(text: string): unknown {
  return { said: plainFile(text), loaded: loaded(text) };
}

/**
 * The formatted file; a file that is not YAML, or has no name to inherit from and thus no order
 * (format.test.ts), stays.
 */
function formatted(text: string): string {
  const said = plainFile(text);
  return said === undefined || /"string default_inherits":(?:\{|\[.)/.test(said)
    ? text
    : formatRules(text);
}

/** The names of loaded entities in any order, or the problems. */
function loaded(text: string): unknown {
  const merged = mergeFiles([{ name: 'rules.yml', text }]);
  if (!merged.ok) return merged.problems.map(({ code }) => code).toSorted();
  const { tools, roles, users, destinations } = merged.config;
  return [tools, roles, users, destinations].map((section) =>
    [...section].map(([id, { rules }]) => `${id} ${rules.size}`).toSorted(),
  );
}

describe('a formatted file loads as the same rules as the file', () => {
  test.each(['recorded', 'written'])('generated, of %s', (name) => {
    const folder = new URL(`../conformance/${name}/fixtures/`, import.meta.url);
    expect(filesOf(folder).length).toBeGreaterThan(50);
    expect(lostIn(folder)).toEqual([]);
  });

  test('with any content and any layout', () => {
    fc.assert(
      fc.property(layouts, (text) => {
        expect(saysOf(formatted(text))).toEqual(saysOf(text));
      }),
      { numRuns: 400 },
    );
  });
});

(isRecorded ? describe : describe.skip)(
  'formatted files of public servers and of the tests of TPV (skipped without ../shared/tpv)',
  () => {
    test('load as the same rules as the files', () => {
      const folder = new URL('fixtures/', SHARED);
      expect(filesOf(folder).length).toBeGreaterThan(80);
      expect(lostIn(folder)).toEqual([]);
    });
  },
);
