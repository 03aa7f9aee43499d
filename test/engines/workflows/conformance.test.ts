import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readMarkdown } from '../../docs/sources/markdown.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { runAlone, runThroughService, SUITE, type Found } from './conformance/suite.ts';
import { programOfPypi } from './of-pypi.ts';

const missing =
  needs('cwltool', 'bubblewrap', 'nodejs', 'python3-venv') ??
  (existsSync(join(SUITE, 'conformance_tests.yaml')) ? undefined : `there is no ${SUITE}`);
const cwltest = missing === undefined ? programOfPypi('cwltest') : undefined;

/** What Debian 12's cwltool finds alone, in two minutes of a core: `npm run conformance:cwl` finds it again. */
const RECORDED: Readonly<Record<string, Found>> = {
  '3.1.20230209161050': {
    passed: 81,
    failed: ['cwloutput_nolimit', 'filename_with_hash_mark', 'very_big_and_very_floats_nojs'],
    unsupported: [],
  },
};

withEngine(
  'the conformance suite of CWL v1.2',
  missing ?? (cwltest === undefined ? 'cwltest cannot be installed from PyPI' : undefined),
  () => {
    test('passes through the service as it does with the same cwltool alone', async () => {
      const options = ['--tags', 'required', '-j', '4'];
      const version = execFileSync('cwltool', ['--version'], { encoding: 'utf8' });
      const recorded = RECORDED[version.trim().split(' ').at(-1) ?? ''];
      const alone = recorded ?? (await runAlone(cwltest ?? '', options));
      const { text } = await readMarkdown('docs/guides/workflows.md');
      const said = /passes (\d+)\s+of the (\d+) required tests/.exec(text)?.slice(1).map(Number);
      const { passed, failed, unsupported } = alone;
      expect([passed, passed + failed.length + unsupported.length]).toEqual(said);
      expect(await runThroughService(cwltest ?? '', options)).toEqual(alone);
    });
  },
);
