/** Execution phases of UWS 1.1 (§ 2.1.3), in the order of the schema. */
export const PHASES = [
  'PENDING',
  'QUEUED',
  'EXECUTING',
  'COMPLETED',
  'ERROR',
  'UNKNOWN',
  'HELD',
  'SUSPENDED',
  'ABORTED',
  'ARCHIVED',
] as const;
export type Phase = (typeof PHASES)[number];

/**
 * @returns undefined for an unknown phase; the words are case-sensitive, as all values are (DALI §
 * 4.1).
 */
export function parsePhase(text: string): Phase | undefined {
  return PHASES.find((phase) => phase === text);
}

/**
 * States of a session that has a job. OFFERED, REJECTED and EXPIRED have no job. In UNKNOWN, the
 * engine cannot say what became of the job.
 */
export const JOB_STATES = [
  'ACCEPTED',
  'WAITING',
  'PREPARING',
  'AVAILABLE',
  'RUNNING',
  'RELEASING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'UNKNOWN',
] as const;
type JobState = (typeof JOB_STATES)[number];

/** Who starts the job: the planner at the offered time, or the client with PHASE=RUN. */
const START_MODES = ['AUTO', 'CLIENT'] as const;
export type StartMode = (typeof START_MODES)[number];

/** What the phase of a job depends on. */
export type JobProgress = {
  readonly state: JobState;
  readonly startMode: StartMode;
  readonly archived: boolean;
};

/**
 * The UWS phase of a session. HELD and SUSPENDED are never used: a job that Slurm suspends stays
 * EXECUTING, because pyvo takes SUSPENDED for an end.
 */
export function phaseOf({ state, startMode, archived }: JobProgress): Phase {
  if (archived) return 'ARCHIVED';
  switch (state) {
    case 'ACCEPTED':
      return startMode === 'CLIENT' ? 'PENDING' : 'QUEUED';
    case 'WAITING':
    case 'PREPARING':
    case 'AVAILABLE':
      return 'QUEUED';
    case 'RUNNING':
    case 'RELEASING':
      return 'EXECUTING';
    case 'COMPLETED':
      return 'COMPLETED';
    case 'FAILED':
      return 'ERROR';
    case 'CANCELLED':
      return 'ABORTED';
    case 'UNKNOWN':
      return 'UNKNOWN';
    default:
      return state satisfies never;
  }
}

const ACTIVE: Readonly<Record<Phase, boolean>> = {
  PENDING: true,
  QUEUED: true,
  EXECUTING: true,
  COMPLETED: false,
  ERROR: false,
  UNKNOWN: false,
  HELD: false,
  SUSPENDED: false,
  ABORTED: false,
  ARCHIVED: false,
};

/** Phases that a job leaves by itself: WAIT blocks only in these (UWS § 2.2.1.2). */
export function isActive(phase: Phase): boolean {
  return ACTIVE[phase];
}

/** The jobs in a set of phases. */
type PhaseMatch = {
  /** `<state>/<start mode>` of jobs that are not archived */
  readonly progress: readonly string[];
  /** are all jobs that are not archived among them? */
  readonly isAny: boolean;
  /** are archived jobs among them? */
  readonly archived: boolean;
  /** are all of them jobs that have not ended? */
  readonly isLive: boolean;
};

const OVER: ReadonlySet<JobState> = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

/** The inverse of {@link phaseOf}, derived from it, for the filter of the job list. */
export function matchPhases(phases: ReadonlySet<Phase>): PhaseMatch {
  const jobs = JOB_STATES.flatMap((state) =>
    START_MODES.filter((startMode) =>
      phases.has(phaseOf({ state, startMode, archived: false })),
    ).map((startMode) => ({ state, startMode })),
  );
  const archived = phases.has('ARCHIVED');
  return {
    progress: jobs.map(({ state, startMode }) => `${state}/${startMode}`),
    isAny: jobs.length === JOB_STATES.length * START_MODES.length,
    archived,
    isLive: !archived && jobs.every(({ state }) => !OVER.has(state)),
  };
}
