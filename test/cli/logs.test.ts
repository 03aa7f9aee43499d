import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@jest/globals';

const LOG = fileURLToPath(new URL('../../src/log.ts', import.meta.url));

function logged(logFormat: 'json' | 'pretty' | undefined): string {
  return spawnSync('env', wordsFor(logFormat), { encoding: 'utf8' }).stdout;
}

function wordsFor(logFormat: 'json' | 'pretty' | undefined, times = 1): readonly string[] {
  const open =
    `import { openLog } from '${LOG}'; const log = openLog('planner', { logLevel: 'info', ` +
    `logFormat: ${JSON.stringify(logFormat)} });`;
  const write = `for (let time = 0; time < ${times}; time += 1) log.info({ url: 'http://x' }, 'ready');`;
  return [
    process.execPath,
    '--no-warnings',
    '--input-type=module-typescript',
    '-e',
    `${open} ${write}`,
  ];
}

test('the log is JSON by default, and lines for people on request', () => {
  expect(JSON.parse(logged(undefined))).toMatchObject({
    name: 'planner',
    url: 'http://x',
    msg: 'ready',
  });
  expect(stripVTControlCharacters(logged('pretty'))).toMatch(
    /^\[\d\d:\d\d:\d\d\] INFO \(planner\): ready \{"url":"http:\/\/x"\}\n$/,
  );
});

test.each(['json', 'pretty'] as const)(
  'a log (%s) that cannot be written is reported once on standard error, and ends nothing',
  (logFormat) => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'exec "$@" > /dev/full', 'sh', ...wordsFor(logFormat, 10_000)],
      { encoding: 'utf8' },
    );
    expect(stderr).toMatch(
      new RegExp(
        String.raw`^the log cannot be written to standard output: ENOSPC: [^\n]+; ` +
          String.raw`the service goes on without it until there is room\n$`,
      ),
    );
    expect(status).toBe(0);
  },
);
