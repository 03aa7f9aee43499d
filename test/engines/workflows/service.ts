import { processDestination } from '../../harness/site.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';

/**
 * A service with one destination of processes, which has one interpreter of workflows.
 *
 * @param others more destinations
 */
export function startWorkflowService(
  fetch: object,
  type: string,
  workflows: object,
  more: object = {},
  others: Readonly<Record<string, object>> = {},
): Promise<WholeService> {
  return startWholeService({
    site: {
      rules: ['rules.yml'],
      quotas: [],
      fetch,
      destinations: {
        here: processDestination({ 'task-types': [type], workflows, ...more }),
        ...others,
      },
    },
    rules: {
      tools: { default: { mem: 1 } },
      destinations: Object.fromEntries(
        ['here', ...Object.keys(others)].map((id) => [id, { runner: 'process' }]),
      ),
    },
  });
}

/** The interpreter of CWL of Debian. */
export const CWLTOOL = { cwl: { command: ['cwltool', '--no-container'], versions: ['v1.2'] } };
