import { expect, test } from '@jest/globals';
import { until } from '../cli/service-process.ts';
import { startWholeService } from '../harness/whole-service.ts';

function task(command: string) {
  return {
    task: {
      type: 'https://www.purl.org/ivoa-net/task-type/executable',
      spec: { command: [command] },
    },
  };
}

test('a service keeps spare rules, so that a decision that is cut off delays nobody behind it', async () => {
  const service = await startWholeService({
    site: {
      rules: ['rules.yml'],
      destinations: {
        here: {
          runner: 'process',
          'task-types': ['executable'],
          cores: 4,
          memory: '4GiB',
          scratch: '100GiB',
        },
      },
    },
    rules: {
      tools: {
        'executable/pattern': {
          rules: [{ if: "import re\nre.match('(a+)+$', 'a' * 60 + 'b')", fail: 'never' }],
        },
      },
      destinations: { here: { runner: 'process' } },
    },
  });
  try {
    const isThere = async (): Promise<boolean> =>
      (await (await fetch(`${service.url}/metrics`)).text()).includes(
        'planner_sandbox{what="spare"} 1\n',
      );
    for (let round = 0; round < 2; round += 1) {
      await until('the spare is loaded', isThere);
      const [cut, other] = await Promise.all([
        service.ask(task('pattern')),
        service.ask(task('sort')),
      ]);
      expect(cut).toContain('rule-timeout');
      expect(other).toContain("result: 'YES'");
    }
  } finally {
    await service.close();
  }
});
