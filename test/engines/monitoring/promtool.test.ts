import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { serveTests } from '../../harness/serve.ts';

const isHere = spawnSync('promtool', ['--version']).status === 0;

(isHere ? describe : describe.skip)(
  'what Prometheus thinks of /metrics (skipped without promtool, Debian: prometheus)',
  () => {
    const service = serveTests(
      {
        rules: ['rules.yml'],
        requests: { allow: ['https://rules.example.org'] },
        destinations: {
          here: {
            runner: 'process',
            'task-types': ['executable'],
            cores: 4,
            memory: '4GiB',
            scratch: '40GiB',
          },
        },
      },
      { destinations: { here: { runner: 'here' } } },
    );

    test('finds no fault after an answer of each kind', async () => {
      for (const type of ['executable', 'crystal-ball']) {
        const answer = await fetch(`${service.url}/request`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/yaml' },
          body: `task: { type: 'https://www.purl.org/ivoa-net/task-type/${type}', spec: { command: [echo] } }`,
        });
        expect(answer.status).toBe(200);
      }
      const input = await (await fetch(`${service.url}/metrics`)).text();
      expect(input).toMatch(/^planner_database_bytes [1-9]/m);
      const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], {
        input,
        encoding: 'utf8',
      });
      expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
    });
  },
);
