import { loadRules } from '../../src/vortex/index.ts';
import type {
  JobDescription,
  Rules,
  Surroundings,
  ToolDescription,
} from '../../src/vortex/index.ts';

/** A job of a tool, with what a test wants to say of it. */
export function jobOf(
  tool: string | ToolDescription,
  more: Partial<JobDescription> = {},
): JobDescription {
  return {
    tool: typeof tool === 'string' ? { id: tool, requirements: [] } : tool,
    user: null,
    roles: [],
    inputs: [],
    ...more,
  };
}

/** Rules of texts that have to load. */
export function rulesOf(...texts: readonly string[]): Rules {
  const loaded = loadRules(texts.map((text, index) => ({ name: `file${index + 1}.yml`, text })));
  if (!loaded.ok)
    throw new Error(
      loaded.problems.map(({ file, line, message }) => `${file}:${line} ${message}`).join('\n'),
    );
  return loaded.rules;
}

export const surroundings: Surroundings = { random: () => 0, now: () => 0 };
