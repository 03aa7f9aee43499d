import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { root } from '../docs/sources/markdown.ts';

/** Records every host that a process looks up or connects to. */
function spy(log: string): string {
  return `
  import { appendFileSync } from 'node:fs';
  import dns from 'node:dns';
  import net from 'node:net';
  const note = (what) => appendFileSync(${JSON.stringify(log)}, JSON.stringify(what) + '\\n');
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...given) {
    note(['connect', given[0]?.[0] ?? given]);
    return connect.apply(this, given);
  };
  const lookup = dns.lookup;
  dns.lookup = function (name, ...rest) { note(['lookup', name]); return lookup(name, ...rest); };
`;
}

test('our own step of npm ci, which writes the generated code, contacts no host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'generate-'));
  try {
    for (const part of [
      'package.json',
      'scripts',
      'prisma',
      'api',
      'src/console',
      'clients/typescript',
    ])
      cpSync(join(root, part), join(folder, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const log = join(folder, 'connections');
    writeFileSync(log, '');
    writeFileSync(join(folder, 'spy.mjs'), spy(log));
    const env = {
      ...process.env,
      NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'spy.mjs')).href}`,
    };
    execFileSync(process.execPath, [join(folder, 'scripts/generate.mjs')], { env, stdio: 'pipe' });
    expect(existsSync(join(folder, 'src/generated/api.d.ts'))).toBe(true);
    expect(readFileSync(log, 'utf8')).toBe('');
    execFileSync(
      process.execPath,
      ['-e', "require('net').connect(9, '127.0.0.1').on('error', () => 0)"],
      { env },
    );
    expect(readFileSync(log, 'utf8')).toContain('127.0.0.1');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
