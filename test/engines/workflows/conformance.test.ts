import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readMarkdown } from '../../docs/sources/markdown.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { runAlone, runThroughService, SUITE } from './conformance/suite.ts';
import { programOfPypi } from './of-pypi.ts';

const missing =
  needs('cwltool', 'bubblewrap', 'nodejs', 'python3-venv') ??
  (existsSync(join(SUITE, 'conformance_tests.yaml')) ? undefined : `there is no ${SUITE}`);
const cwltest = missing === undefined ? programOfPypi('cwltest') : undefined;

withEngine(
  'the conformance suite of CWL v1.2',
  missing ?? (cwltest === undefined ? 'cwltest cannot be installed from PyPI' : undefined),
  () => {
    test('passes through the service as it does with the same cwltool alone', async () => {
      const options = ['--tags', 'required', '-j', '4'];
      const alone = await runAlone(cwltest ?? '', options);
      const { text } = await readMarkdown('docs/guides/workflows.md');
      const said = /passes (\d+)\s+of the (\d+) required tests/.exec(text)?.slice(1).map(Number);
      const { passed, failed, unsupported } = alone;
      expect([passed, passed + failed.length + unsupported.length]).toEqual(said);
      expect(await runThroughService(cwltest ?? '', options)).toEqual(alone);
    });
  },
);
