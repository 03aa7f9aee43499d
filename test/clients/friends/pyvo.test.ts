import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { needs } from '../../engines/packages.ts';
import { withEngine } from '../../engines/summary.ts';
import { VOTABLE } from '../../uws/clients/votable.ts';
import { installed, missingFromIndex } from './pip.ts';
import { ADA, startFriendly, type Friendly } from './service.ts';

const run = promisify(execFile);
const NEWEST = '1.9.1';
const PYTHON = '/usr/bin/python3';
const SCRIPT = fileURLToPath(new URL('fetch-result.py', import.meta.url));
const TABLE = [17.5, 21.25];

withEngine("pyvo's fetch_result(), Debian's pyvo", needs('python3-pyvo'), () =>
  fetchesResults(/^1\./, () => Promise.resolve({})),
);
withEngine(
  `pyvo's fetch_result(), pyvo ${NEWEST}`,
  needs('python3-pip', 'curl') ?? missingFromIndex('pyvo'),
  () =>
    fetchesResults(new RegExp(`^${NEWEST}$`), async () => {
      const folder = await installed(PYTHON, `pyvo==${NEWEST}`);
      return { PYTHONPATH: folder };
    }),
);

function fetchesResults(
  version: RegExp,
  environment: () => Promise<Readonly<Record<string, string>>>,
): void {
  let service: Friendly;
  let more: Readonly<Record<string, string>>;
  beforeAll(async () => {
    more = await environment();
    service = await startFriendly();
  });
  afterAll(() => service?.close());

  test('gives the main table with a password: printed, the only file, or the one called result', async () => {
    const write = (script: string) => service.accepted(['sh', '-c', script, VOTABLE]);
    const jobs = [
      await write('printf "%s" "$0"'),
      await write('echo reading; printf "%s" "$0" > stars.vot'),
      await write('printf "%s" "$0" > result.vot; echo 1,2 > notes.csv'),
      await write('echo 1,2 > stars.csv'),
      await write('printf "%s" "$0" > a.vot; printf "%s" "$0" > b.vot'),
      await write('exit 3'),
    ];
    const { stdout } = await run(PYTHON, [SCRIPT, service.url, ADA.user, ADA.password, ...jobs], {
      env: { ...process.env, ...more },
    });
    const { jobs: told, without, pyvo } = JSON.parse(stdout);
    expect(pyvo).toMatch(version);
    expect(told).toEqual([
      { told: TABLE, results: ['result', 'stderr', 'stdout'], bytes: '<?xml version="1.0" ' },
      expect.objectContaining({ told: TABLE }),
      expect.objectContaining({ told: TABLE }),
      // It reads VOTables only; the bytes are there for others.
      expect.objectContaining({ told: 'ValueError', bytes: '1,2\n' }),
      // Of two files neither is the main one, so stdout is.
      expect.objectContaining({ told: 'ValueError', bytes: '' }),
      // pyvo 1.2 reads a failed job's first result, newer ones say that it failed.
      expect.objectContaining({ told: expect.stringMatching(/^(ValueError|DALQueryError)$/) }),
    ]);
    expect(without).toBe('DALServiceError');
  });
}
