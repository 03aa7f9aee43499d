import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, normalize, resolve } from 'node:path';
import { documentWithListings } from './inputs.ts';
import { startWholeService } from '../../../harness/whole-service.ts';

/** What cwltest found: how many tests passed, and the ids of the others. */
export type Found = {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly unsupported: readonly string[];
};

/** Where the conformance suite of CWL v1.2 is, unless CWL_SUITE says it. */
export const SUITE = resolve(process.env['CWL_SUITE'] ?? '../shared/cwl');

/** No test brings a container. */
const OPTIONS = ['--no-container'];

/** Runs tests of the suite by cwltool alone. @param options of cwltest: `--tags`, `-n`, `-j` */
export async function runAlone(cwltest: string, options: readonly string[]): Promise<Found> {
  const programs = await makePrograms();
  const words = ['--tool', '/usr/bin/cwltool', ...options];
  return runTests(cwltest, words, OPTIONS, { PATH: pathWith(programs) }).finally(() =>
    rm(programs, { recursive: true, force: true }),
  );
}

/** Runs tests of the suite through a service: each is an ask, an accept and a job. */
export async function runThroughService(
  cwltest: string,
  options: readonly string[],
): Promise<Found> {
  const documents = await serveFolder(SUITE);
  const folder = await makePrograms();
  const command = ['env', `PATH=${pathWith(folder)}`, 'cwltool', ...OPTIONS];
  const service = await startWholeService({
    site: {
      rules: ['rules.yml'],
      quotas: [],
      offers: { duration: 'PT10M' },
      fetch: { 'allow-hosts': [new URL(documents.url).host] },
      destinations: {
        here: {
          runner: 'process',
          'task-types': ['cwl-workflow'],
          workflows: { cwl: { command, versions: ['v1.2'] } },
          process: { paths: [folder] },
          cores: 32,
          memory: '64GiB',
          scratch: '900GiB',
        },
      },
    },
    rules: { tools: { default: { mem: 1 } }, destinations: { here: { runner: 'process' } } },
  });
  try {
    const runner = join(folder, 'runner');
    const program = resolve('test/engines/workflows/conformance/runner.ts');
    const script = `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${program}' "$@"\n`;
    await writeFile(runner, script);
    await chmod(runner, 0o755);
    return await runTests(cwltest, ['--tool', runner, ...options], [], {
      CWL_SERVICE: service.url,
      CWL_FOLDER: SUITE,
      CWL_URL: documents.url,
    });
  } finally {
    await service.close();
    await documents.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The suite calls `python`, which Debian does not have. @returns a folder with one */
async function makePrograms(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-cwl-'));
  await chmod(folder, 0o755);
  await symlink('/usr/bin/python3', join(folder, 'python'));
  return folder;
}

function pathWith(folder: string): string {
  return `${folder}:/usr/local/bin:/usr/bin:/bin`;
}

async function runTests(
  cwltest: string,
  words: readonly string[],
  ofTool: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Found> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-cwltest-'));
  const report = join(folder, 'report.xml');
  try {
    const tests = join(SUITE, 'conformance_tests.yaml');
    const all = ['--test', tests, '--junit-xml', report, '--timeout', '300', ...words];
    const child = spawn(cwltest, ofTool.length === 0 ? all : [...all, '--', ...ofTool], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...environment },
    });
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (process.env['CWL_VERBOSE'] !== undefined) process.stderr.write(chunk);
    });
    await once(child, 'close');
    return foundIn(await readFile(report, 'utf8'), log);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Reads the JUnit report of cwltest, where a case without a child has passed, and its log: a test
 * that passes and should fail is a failure only there.
 */
function foundIn(report: string, log: string): Found {
  const cases = [...report.matchAll(/<testcase ([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g)].map(
    ([, attributes = '', inner = ''], index) => ({
      id: /\bfile="([^"]*)"/.exec(attributes)?.[1] ?? '',
      isFailed:
        /<(?:failure|error)\b/.test(inner) ||
        new RegExp(`^Test ${index + 1} failed:`, 'm').test(log),
      isSkipped: inner.includes('<skipped'),
    }),
  );
  return {
    passed: cases.filter(({ isFailed, isSkipped }) => !isFailed && !isSkipped).length,
    failed: cases.filter(({ isFailed }) => isFailed).map(({ id }) => id),
    unsupported: cases.filter(({ isSkipped }) => isSkipped).map(({ id }) => id),
  };
}

async function serveFolder(folder: string) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = normalize(join(folder, decodeURIComponent(pathname)));
    const isFile = path.startsWith(folder) && statSync(path, { throwIfNoEntry: false })?.isFile();
    if (isFile !== true) return void response.writeHead(404).end();
    const url = `http://${request.headers.host}`;
    const listed = path.endsWith('.cwl') ? documentWithListings({ folder, url }, path) : undefined;
    if (listed === undefined) createReadStream(path).pipe(response);
    else response.end(listed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
