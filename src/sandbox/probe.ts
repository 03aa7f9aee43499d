import type { JobDescription } from '../vortex/index.ts';
import type { Sandbox } from './sandbox.ts';

/** A job of nobody, to see whether an answer comes. */
const JOB: JobDescription = {
  tool: { id: 'is-the-sandbox-there', requirements: [] },
  user: null,
  roles: [],
  inputs: [],
};

/**
 * Asks the rules about a job of nobody. A timeout counts as an answer: then the child lives.
 * @returns the problem, in public words; undefined when the child answers
 */
export async function probeSandbox(sandbox: Pick<Sandbox, 'map'>): Promise<string | undefined> {
  const answer = await sandbox.map(JOB, { seed: 0, now: Date.now() }, false);
  if (answer.kind !== 'sandbox') return undefined;
  switch (answer.code) {
    case 'no-rules':
      return 'no rules are loaded';
    case 'engine-error':
      return 'the rule engine is broken';
    case 'sandbox-crashed':
    case 'sandbox-closed':
      return 'does not answer';
    case 'bad-job':
    case 'rule-timeout':
    case 'rule-memory':
      return undefined;
    default:
      return answer.code satisfies never;
  }
}
