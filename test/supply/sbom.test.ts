import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../docs/sources/markdown.ts';

describe('npm run sbom', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sbom-'));
    for (const file of ['package.json', 'package-lock.json', 'scripts', 'THIRD-PARTY-NOTICES.md'])
      cpSync(join(root, file), join(folder, file), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const sbom = (...words: readonly string[]) =>
    spawnSync(process.execPath, [join(folder, 'scripts/sbom.mjs'), ...words], { encoding: 'utf8' });
  const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');

  test('was run after the last change of the lock file, and its licences may all be used', () => {
    expect(sbom('--check')).toMatchObject({ status: 0, stderr: '' });
  });

  test('writes a CycloneDX bill of everything that runs, each with its digest, and the notices', () => {
    const notices = textOf('THIRD-PARTY-NOTICES.md');
    writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.md'), 'old');
    expect(sbom('--check')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('THIRD-PARTY-NOTICES.md is not current: npm run sbom'),
    });
    expect(sbom()).toMatchObject({ status: 0 });
    expect(textOf('THIRD-PARTY-NOTICES.md')).toBe(notices);
    const bill = JSON.parse(textOf('sbom.cdx.json'));
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'execution-planner', type: 'application' } },
    });
    const listed: readonly { name: string; purl: string; hashes: unknown[] }[] = bill.components;
    expect(
      listed.filter(({ purl, hashes }) => !purl.startsWith('pkg:npm/') || hashes.length === 0),
    ).toEqual([]);
    const names = listed.map(({ name }) => name);
    const { dependencies, optionalDependencies } = JSON.parse(textOf('package.json'));
    expect(names).toEqual(
      expect.arrayContaining([...Object.keys(dependencies), ...Object.keys(optionalDependencies)]),
    );
    expect(
      ['jest', 'oxlint', 'prisma', 'typescript7'].filter((name) => names.includes(name)),
    ).toEqual([]);
  });

  test('fails, and names the package, when a licence is not approved', () => {
    const lock = JSON.parse(textOf('package-lock.json'));
    lock.packages['node_modules/express'].license = 'SSPL-1.0';
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    expect(sbom('--check')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^express@\S+: the licence SSPL-1\.0 is not one/),
    });
  });
});
