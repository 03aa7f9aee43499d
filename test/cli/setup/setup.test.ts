import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { findPython } from '../../../src/cli/setup/machine-python.ts';
import { makeNotebooks } from '../../../src/cli/setup/notebooks.ts';
import { pipTrouble, pipProgress } from '../../../src/cli/setup/pip-progress.ts';
import { runStep } from '../../../src/cli/setup/step.ts';

const folder = mkdtempSync(join(tmpdir(), 'setup-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder with a `python3` that prints this. */
function withPython(name: string, script: string): string {
  const place = join(folder, name);
  mkdirSync(place);
  writeFileSync(join(place, 'python3'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return place;
}

describe('the Python of the machine', () => {
  test('is the first that can make an environment; of the others it is said what they lack', () => {
    const old = withPython('old', `echo '{"path":"/x","version":[3,6,9],"makes":true}'`);
    const bare = withPython('bare', `echo '{"path":"/x","version":[3,12,1],"makes":false}'`);
    const broken = withPython('broken', 'exit 1');
    const good = withPython('good', `echo '{"path":"/usr","version":[3,12,1],"makes":true}'`);
    expect(findPython([old, bare, broken].join(':'))).toEqual([
      `${old}/python3 is Python 3.6; 3.9 or newer is needed`,
      `${bare}/python3 makes no environments: it lacks venv or ensurepip (Debian: apt-get install python3-venv)`,
      `${broken}/python3 does not start`,
    ]);
    expect(findPython([old, good, bare].join(':'))).toEqual({ path: '/usr', version: '3.12.1' });
    expect(findPython(folder)).toEqual([]);
  });
});

describe('a step', () => {
  test('that a signal ends takes what it had started with it', async () => {
    // What still runs has the pipe, whose end the step waits for.
    const step = runStep('sh', ['-c', 'sleep 60 & echo begun; wait'], () =>
      process.emit('SIGTERM', 'SIGTERM'),
    );
    await expect(step).rejects.toThrow('SIGTERM ended it; the same command goes on from there');
    expect(process.listenerCount('SIGTERM')).toBe(0);
  });
});

describe('an environment for notebooks', () => {
  test('is refused where DATA_DIR takes no files, with the reason and what to do', async () => {
    const place = {
      folder: '/proc/planner/notebooks',
      venv: '/proc/planner/notebooks/venv',
      python: '/proc/planner/notebooks/venv/bin/python',
      ready: '/proc/planner/notebooks/ready.json',
    };
    await expect(makeNotebooks(place, { out: () => undefined })).rejects.toThrow(
      /^DATA_DIR \/proc\/planner\/notebooks cannot be made: \/proc cannot be written: .*, or set DATA_DIR/,
    );
  });
});

describe('what pip says', () => {
  test.each([
    ['Downloading numpy-2.4.6-cp311-cp311-linux.whl (16.9 MB)', 'fetches numpy 2.4.6 (16.9 MB)'],
    ['  Downloading https://a/b/six-1.17.0-py3-none-any.whl (11 kB)', 'fetches six 1.17.0 (11 kB)'],
    ['Installing collected packages: a, b, c', 'installs 3 packages, which takes the longest'],
    ['  Downloading numpy-2.4.6.whl.metadata (6.6 kB)', undefined],
    ['Collecting numpy', undefined],
  ])('%s is told in plain words', (line, told) => {
    expect(pipProgress(line)).toBe(told);
  });

  test.each([
    [['ERROR: Could not install: [Errno 28] No space left on device'], /^the disc is full/],
    [
      ["WARNING: Retrying after connection broken by 'X': /simple", 'ERROR: No matching'],
      /^the index of packages cannot be reached: .*HTTPS_PROXY/,
    ],
    [['ERROR: No matching distribution found for numpy', 'more'], /^pip says: No matching/],
    [[], /^pip says: nothing/],
  ])('%j is a trouble that says what to do', (lines, told) => {
    expect(pipTrouble(lines)).toMatch(told);
  });
});
