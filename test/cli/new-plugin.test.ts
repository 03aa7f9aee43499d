import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { pluginScripts } from '../../src/cli/new-plugin.ts';

test('the scripts of a new plug-in find the service and its Node in any folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'planner-scripts-'));
  try {
    const service = join(folder, "Eve's $HOME `services`");
    mkdirSync(service);
    const { link = '', test: tested = '' } = pluginScripts(service, join(service, 'node'));
    execFileSync('sh', ['-c', link], { cwd: folder });
    expect(readlinkSync(join(folder, 'node_modules/execution-planner'))).toBe(service);
    const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${tested}`], { encoding: 'utf8' });
    expect(printed.split('\n')[0]).toBe(join(service, 'node'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
