import type { JobDescription } from '../job.ts';

/** Parts of a job that rules read separately, as bits. */
export const JOB_FACTS = {
  toolId: 1,
  toolVersion: 2,
  toolUuid: 4,
  toolType: 8,
  toolNeeds: 16,
  userId: 32,
  email: 64,
  username: 128,
  preferences: 256,
  roles: 512,
  /** the loaded rules, which are the same for all jobs */
  rules: 1024,
} as const;

/** Facts that a rule gets as lists and dicts, and may change for the rest of its decision. */
export const CHANGEABLE = JOB_FACTS.preferences | JOB_FACTS.roles | JOB_FACTS.rules;

/** The facts that snippets have read since somebody last set this to 0. */
export const read = { facts: 0 };

/** The facts of a job as text: equal texts are equal facts. */
export function factsText({ tool, user, roles }: JobDescription, facts: number): string {
  const parts: unknown[] = [user === null];
  if (facts & JOB_FACTS.toolId) parts.push(tool.id);
  if (facts & JOB_FACTS.toolVersion) parts.push(tool.version);
  if (facts & JOB_FACTS.toolUuid) parts.push(tool.uuid);
  if (facts & JOB_FACTS.toolType) parts.push(tool.type);
  if (facts & JOB_FACTS.toolNeeds)
    parts.push(tool.requiresGalaxyPythonEnvironment, tool.isDatatypeConverter);
  if (facts & JOB_FACTS.userId) parts.push(user?.id);
  if (facts & JOB_FACTS.email) parts.push(user?.email);
  if (facts & JOB_FACTS.username) parts.push(user?.username);
  if (facts & JOB_FACTS.preferences) parts.push(user?.extraPreferences);
  if (facts & JOB_FACTS.roles) parts.push(roles);
  return JSON.stringify(parts);
}
