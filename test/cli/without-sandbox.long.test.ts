import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dump } from 'js-yaml';
import { isReachable, isRoot } from '../../src/places/reachable.ts';
import { openGround, PLANNER, until, type Ground, type ServiceProcess } from './service-process.ts';

const NOBODY = 65_534;
const BUBBLEWRAP = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].filter((path) =>
  existsSync(path),
);
/** Hides bubblewrap from this command and its children, and becomes an ordinary user. */
const HIDDEN =
  `${BUBBLEWRAP.map((path) => `mount --bind /dev/null ${path} && `).join('')}exec setpriv ` +
  `--reuid ${NOBODY} --regid ${NOBODY} --clear-groups "$@"`;

const project = fileURLToPath(new URL('../..', import.meta.url));
const canHide =
  isRoot() &&
  isReachable(project) &&
  spawnSync(...(([program, ...words]) => [program, words] as const)(ordinary('true'))).status === 0;

const PROGRAMS = {
  runner: 'process',
  'task-types': ['executable'],
  cores: 1,
  memory: '1GiB',
  scratch: '20GiB',
};

(canHide ? describe : describe.skip)(
  'npm start by an ordinary user without bubblewrap (needs root to hide it and to become one)',
  () => {
    let ground: Ground;
    beforeEach(async () => {
      ground = await openGround(NOBODY);
    });
    afterEach(() => ground.close());
    const start = (
      environment: Readonly<Record<string, string>>,
      ...words: readonly string[]
    ): ServiceProcess => ground.start({ environment, command: ordinary(...PLANNER, ...words) });
    const siteFile = async (destination: object, more: object = {}): Promise<string> => {
      const file = join(ground.folder, 'site.yml');
      await writeFile(
        file,
        dump({
          rules: [{ inline: { destinations: { here: { runner: 'any' } } } }],
          destinations: { here: destination },
          ...more,
        }),
      );
      await chmod(file, 0o644);
      return file;
    };

    test('the demonstration warns, in the log and on screen, that programs run with its own account', async () => {
      const service = start({}, 'serve');
      await service.ready();
      await service.said('!! Anybody who reaches this service runs programs with your account');
      expect(
        await service.logged(
          'anybody who reaches this service runs programs with your account (destination ' +
            'programs): there is no sandbox, since bubblewrap does not work here. Their ' +
            'programs read, change and send what you can. Install bubblewrap, or stop the ' +
            'service when you do not use it.',
        ),
      ).toMatchObject({ level: 40 });
      expect(await service.stop()).toMatchObject({ code: 0 });
    });

    test('it does not start for other machines, says what would allow it, and fails the check', async () => {
      for (const command of ['serve', 'check']) {
        const { code, output } = await start({ HOST: '0.0.0.0' }, command).ended;
        expect(code).toBe(1);
        expect(output).toContain(
          'With HOST 0.0.0.0, anybody who reaches this service runs programs with your account (destination programs)',
        );
        expect(output).toContain('process: { isolation: none }');
        expect(output).not.toContain('    at ');
      }
    });

    test('it starts for them when the site file itself says that programs are not confined', async () => {
      const service = start(
        {
          HOST: '0.0.0.0',
          SITE_FILE: await siteFile({ ...PROGRAMS, process: { isolation: 'none' } }),
        },
        'serve',
      );
      await service.ready();
      expect(service.output()).not.toContain('!!');
      expect(await service.stop()).toMatchObject({ code: 0 });
    });

    test('an interpreter that hangs ends after a planner that is killed', async () => {
      const python = join(ground.folder, 'python');
      await writeFile(python, `#!/bin/sh\nsleep 1000 # ${ground.folder}\n`);
      await chmod(python, 0o755);
      const site = await siteFile(
        { ...PROGRAMS, 'task-types': ['python-program'] },
        { runners: { process: { python } } },
      );
      const checking = start({ SITE_FILE: site }, 'check');
      const hanging = () => ground.processes().filter(({ command }) => command.includes(python));
      await until('it is asked', () => hanging().length > 0);
      checking.kill('SIGKILL');
      expect(await checking.ended).toMatchObject({ signal: 'SIGKILL' });
      await until('it ended', () => hanging().length === 0);
    });
  },
);

function ordinary(...words: readonly string[]): [string, ...string[]] {
  return ['unshare', '--mount', 'sh', '-c', HIDDEN, 'sh', ...words];
}
