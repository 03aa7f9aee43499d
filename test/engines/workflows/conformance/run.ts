/**
 * `npm run conformance:cwl -- [options of cwltest]`: how many tests of the CWL v1.2 suite pass with
 * cwltool alone, and through the service. The suite is `CWL_SUITE`, else `../shared/cwl`.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../../../src/db/embedded.ts';
import { ensureDatabase, migrate } from '../../../../src/db/migrate.ts';
import { programOfPypi } from '../of-pypi.ts';
import { runAlone, runThroughService, type Found } from './suite.ts';

const given = process.argv.slice(2);
const options = given.length === 0 ? ['--tags', 'required', '-j', '2'] : given;
const cwltest = programOfPypi('cwltest');
if (cwltest === undefined) throw new Error('cwltest cannot be installed from PyPI');
const folder = await mkdtemp(join(tmpdir(), 'planner-conformance-'));
// As root the database has an account of its own, which must pass this folder.
await chmod(folder, 0o711);
const server = await startEmbedded({ directory: folder, disposable: true });
try {
  await ensureDatabase(server.url('postgres'), 'template_planner');
  await migrate(server.url('template_planner'));
  process.env['TEST_DATABASE_SERVER'] = server.url('postgres');
  const alone = await runAlone(cwltest, options);
  report('cwltool alone', alone);
  const through = await runThroughService(cwltest, options);
  report('through the service', through);
  process.exitCode = alone.passed === through.passed ? 0 : 1;
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

function report(what: string, { passed, failed, unsupported }: Found): void {
  const all = passed + failed.length + unsupported.length;
  process.stdout.write(
    `${what}: ${passed} of ${all} passed, ${unsupported.length} unsupported\n` +
      `  failed: ${failed.join(', ') || 'none'}\n  unsupported: ${unsupported.join(', ') || 'none'}\n`,
  );
}
