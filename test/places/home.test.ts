import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { claimFolder, jobsHome, openDataFolder, standInFor } from '../../src/places/data-folder.ts';
import { asRoot } from '../runners/workloads.ts';
import { makeClosedFolder, rootOnly } from './closed-folder.ts';

const { open, closed, remove } = makeClosedFolder();
const data = join(closed, 'data');
const standIn = standInFor('execution-planner', data);
afterAll(() => {
  remove();
  rmSync(standIn, { recursive: true, force: true });
});

describe('the place of database and jobs', () => {
  test('is the data directory when everybody can enter it', () => {
    const place = join(open, 'data');
    expect(openDataFolder(place)).toBe(place);
    expect(jobsHome({ dataDirectory: place, jobsDirectory: join(place, 'jobs') })).toBe(
      join(place, 'jobs'),
    );
    expect(existsSync(place)).toBe(true);
  });

  test('is where the operator says, even if jobs cannot reach it: that is reported, not changed', () => {
    expect(jobsHome({ dataDirectory: data, jobsDirectory: join(closed, 'elsewhere') })).toBe(
      join(closed, 'elsewhere'),
    );
  });

  test('is no folder that others can write to', () => {
    const foreign = join(open, 'foreign');
    mkdirSync(foreign);
    chmodSync(foreign, 0o777);
    expect(() => claimFolder(foreign)).toThrow(`${foreign} belongs to somebody else; remove it`);
    expect(claimFolder(join(open, 'own'))).toBe(join(open, 'own'));
  });
});

(asRoot ? describe : describe.skip)(
  `where database and jobs lie when the data directory is closed: ${rootOnly}`,
  () => {
    test('is the same folder below /var/tmp at every start', () => {
      const jobs = jobsHome({ dataDirectory: data, jobsDirectory: join(data, 'jobs') });
      expect(jobs).toBe(join(standIn, 'jobs'));
      expect(jobs).toMatch(/^\/var\/tmp\/execution-planner-[0-9a-f]{16}\/jobs$/);
      expect(openDataFolder(data)).toBe(standIn);
      expect(openDataFolder(join(closed, 'other'))).not.toBe(standIn);
      rmSync(openDataFolder(join(closed, 'other')), { recursive: true });
      expect(statSync(standIn).mode & 0o777).toBe(0o755);
    });
  },
);
