import { seconds } from '../../words/units.ts';
import { accountOf, type Account } from '../batch/account.ts';
import { runCommand } from '../batch/command.ts';
import { nodeCommandOf } from '../batch/program.ts';
import { openNodePythons } from '../batch/python.ts';
import { batchRunner } from '../batch/runner.ts';
import { BatchRefusal, BatchUnreachable } from '../batch/system.ts';
import type { Engine } from '../engine.ts';
import { processRunner } from '../process-runner.ts';
import { DEFAULT_PROCESS_SETTINGS } from '../process/settings.ts';
import type { LocalSettings } from '../process/start/host.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { JOB_PATH } from '../run/environment.ts';
import type { RunnerTools } from './tools.ts';

const HOUR_S = 3600;

/**
 * The tools of one engine of a plug-in.
 *
 * @param name of its runner
 * @param named what the destination names: environments, best first, and interpreters of workflows
 */
export function openTools(
  name: string,
  local: LocalSettings,
  { environments, workflows }: Pick<Engine, 'environments' | 'workflows'>,
): RunnerTools {
  const { jobsRoot, urls, stager } = local;
  const accounts = new Map<string, Account | undefined>();
  const known = (user: string): Account | undefined => {
    if (!accounts.has(user)) accounts.set(user, accountOf(name, user));
    return accounts.get(user);
  };
  const pythons = openNodePythons(environments, jobsRoot);
  return {
    jobsRoot,
    pythonOf: pythons.of,
    batchRunner: (system, { user, python, jupyter, longestWait, unreachableLimit, gresOf }) =>
      pythons.closedBy(
        batchRunner(
          jobsRoot,
          {
            system: { ...system, name },
            account: accountOf(name, user),
            stager,
            gresOf: (gpus) => gpus && gresOf?.(gpus),
            commandOf: async (workload, making) => {
              if (workload.allocation !== undefined && system.parallel === undefined)
                throw new JobFailure(
                  'runner-failed',
                  `the batch system of ${name} has no \`parallel\`, so its jobs find no nodes`,
                );
              const own = await pythons.of(workload);
              const all = { python: own ?? python, jupyter: own ?? jupyter, workflows };
              return nodeCommandOf(name, workload, making, all, urls);
            },
          },
          {
            longestWait: seconds(longestWait ?? HOUR_S),
            unreachableLimit: seconds(unreachableLimit ?? HOUR_S),
          },
        ),
      ),
    localRunner: ({ python, paths, gpus, before }) =>
      processRunner({
        ...local,
        name,
        before,
        terms: { ...DEFAULT_PROCESS_SETTINGS, paths: paths ?? [], gpus: gpus ?? {} },
        ...(environments && { environments }),
        ...(workflows && { workflows }),
        ...(python !== undefined && { python }),
      }),
    run: ({ program, words, environment, input, user, nobody }) =>
      runCommand({
        program,
        words,
        environment: { ...environment, PATH: JOB_PATH, LANG: 'C.UTF-8', TZ: 'UTC' },
        ...(input !== undefined && { input }),
        ...(user !== undefined && { account: known(user) }),
        nobody,
      }),
    refusal: (text) => new BatchRefusal(text),
    unreachable: (text) => new BatchUnreachable(text),
  };
}
