import { expect, test } from '@jest/globals';
import { visibleEtc } from '../../../src/runners/process/start/etc.ts';

test('jobs see the settings of Java, Python and MPI of every version that a machine has', () => {
  const names = ['java-25-openjdk', 'java', 'python3.14', 'ImageMagick-7', 'openmpi-x86_64'];
  expect(visibleEtc(names)).toEqual(expect.arrayContaining(names.map((name) => `/etc/${name}`)));
});

test('jobs see no keys, passwords and settings of services, whatever their names begin with', () => {
  const names = ['shadow', 'passwd-', 'gshadow', 'ssl', 'ssh', 'sudoers', 'java-keys', 'python3-x'];
  expect(visibleEtc(names)).toEqual(['/etc/ssl/certs', '/etc/ssl/openssl.cnf']);
});
