import { existsSync, globSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openGround, PLANNER, type Ground } from '../../cli/service-process.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { indexMissing } from './index-missing.ts';

/** Packages come from another machine. */
const PATIENCE = 1_200_000;

withEngine('planner setup notebooks', needs('python3', 'python3-venv') ?? indexMissing(), () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround();
  });
  afterAll(() => ground?.close());
  const setup = (environment: Readonly<Record<string, string>> = {}) =>
    ground.start({ command: [...PLANNER, 'setup', 'notebooks'], environment });

  test(
    'says what to do where the index cannot be reached, or a word is wrong',
    async () => {
      const away = setup({ PIP_INDEX_URL: 'http://127.0.0.1:9/simple', PIP_RETRIES: '1' });
      expect(await away.ended).toMatchObject({
        code: 1,
        output: expect.stringContaining('the index of packages cannot be reached: connect'),
      });
      const other = ground.start({ command: [...PLANNER, 'setup', 'clusters'] });
      expect(await other.ended).toMatchObject({
        code: 2,
        output: expect.stringContaining("only notebooks can be set up, not 'clusters'"),
      });
    },
    PATIENCE,
  );

  test(
    'goes on after it was killed, tells how far it is, and is done when it is done',
    async () => {
      const killed = setup();
      await killed.said('fetches pandas');
      killed.killGroup('SIGKILL');
      await killed.ended;
      const { code, output } = await setup().ended;
      expect([code, output]).toEqual([
        0,
        expect.stringMatching(/1\/3 .*2\/3 .*3\/3 .*Ready after/s),
      ]);
      const [, python = ''] = /notebooks: \{ python: (.*) \}/.exec(output) ?? [];
      expect(existsSync(python)).toBe(true);
      const again = await setup().ended;
      expect(again).toMatchObject({ code: 0, output: expect.stringContaining('is there already') });
    },
    PATIENCE,
  );

  test(
    'gives the demonstration numpy, which it says NO to otherwise',
    async () => {
      const demo = { command: [...PLANNER, 'demo'] } as const;
      expect(await ground.start(demo).ended).toMatchObject({
        code: 0,
        output: expect.stringMatching(
          /The answer is YES, in the environment 'notebooks'.*The mean of 1, 2 and 6 is 3\.0/s,
        ),
      });
      const elsewhere = { DATA_DIR: join(ground.folder, 'elsewhere') };
      expect(await ground.start({ ...demo, environment: elsewhere }).ended).toMatchObject({
        code: 0,
        output: expect.stringContaining('NO: no Python here has numpy.'),
      });
    },
    PATIENCE,
  );

  test(
    'names a package that is there and cannot be imported',
    async () => {
      const { output } = await setup().ended;
      const [, python = ''] = /notebooks: \{ python: (.*) \}/.exec(output) ?? [];
      const venv = join(python, '../..');
      const [found = ''] = globSync(join(venv, 'lib/python3*/site-packages/pyvo/__init__.py'));
      await writeFile(found, 'import no_such_library\n');
      // The next call is one that has to look.
      await rm(join(venv, '../ready.json'));
      expect(await setup().ended).toMatchObject({
        code: 1,
        output: expect.stringMatching(
          /cannot import pyvo \(ModuleNotFoundError: .*no_such_library.*\): remove /,
        ),
      });
    },
    PATIENCE,
  );
});
