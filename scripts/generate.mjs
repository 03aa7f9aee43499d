// Writes the generated code: the Prisma client, the types of the OpenAPI contract and the console.
// Runs after `npm ci`, offline.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

// Prisma's command line wants to download its schema engine before any command. `generate` never
// executes that file, so any existing one will do; thus the install needs only the registry
// (docs/adr/0003-prisma.md).
run(['node_modules/prisma/build/index.js', 'generate'], {
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  CHECKPOINT_DISABLE: '1',
});
run([
  'node_modules/openapi-typescript/bin/cli.js',
  'api/openapi.yaml',
  '-o',
  'src/generated/api.d.ts',
]);
run(['scripts/console.mjs']);

function run(/** @type {string[]} */ args, env = {}) {
  return execFileSync(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
}
