import type { Sandbox, SandboxFailure, SandboxStats } from '../sandbox/sandbox.ts';
import type { FileProblem, RulesSummary, RuleSource } from '../vortex/index.ts';

/**
 * Rules that are loaded but not in force, or why they cannot be loaded. The caller must call
 * `adopt` or `discard`.
 */
export type RulesTrial =
  | {
      readonly kind: 'ready';
      readonly rules: RulesSummary;
      /** Valid rules that are most likely mistakes. */
      readonly warnings: readonly FileProblem[];
      readonly milliseconds: number;
      readonly adopt: () => void;
      readonly discard: () => Promise<void>;
    }
  | { readonly kind: 'refused'; readonly problems: readonly FileProblem[] }
  | { readonly kind: 'failed'; readonly failure: SandboxFailure };

/** A sandbox whose rules can be replaced without a pause. */
export type SwappableRules = {
  /**
   * Asks the rules in force. A question that was sent before a change is answered by the old rules.
   */
  readonly sandbox: Pick<Sandbox, 'weigh' | 'map' | 'stats'>;
  /** Loads rules in another sandbox, while the rules in force go on deciding. */
  readonly tryOut: (sources: readonly RuleSource[]) => Promise<RulesTrial>;
  readonly close: () => Promise<void>;
};

type Box = { readonly sandbox: Sandbox; asked: number; isRetired: boolean };

const COUNTED = [
  'decisions',
  'failures',
  'respawns',
  'timeouts',
  'outOfSteps',
  'outOfMemory',
  'crashes',
] as const;
const NOTHING = {
  decisions: 0,
  failures: 0,
  respawns: 0,
  timeouts: 0,
  outOfSteps: 0,
  outOfMemory: 0,
  crashes: 0,
};

/**
 * Opens the holder; `open` makes a sandbox for each set of rules. The first `adopt` must come
 * before any question.
 */
export function openSwappableRules(open: () => Sandbox): SwappableRules {
  const boxes = new Set<Box>();
  const past = { ...NOTHING };
  let current: Box | undefined;

  const end = async (box: Box): Promise<void> => {
    if (!boxes.delete(box)) return;
    const stats = box.sandbox.stats();
    for (const name of COUNTED) past[name] += stats[name];
    await box.sandbox.close();
  };

  const retire = (box: Box): void => {
    box.isRetired = true;
    if (box.asked === 0) void end(box);
  };

  const ask = async <Answer>(
    question: (sandbox: Sandbox) => Promise<Answer>,
  ): Promise<Answer | SandboxFailure> => {
    const box = current;
    if (box === undefined)
      return { kind: 'sandbox', code: 'no-rules', message: 'no rules are loaded' };
    box.asked += 1;
    try {
      return await question(box.sandbox);
    } finally {
      box.asked -= 1;
      if (box.isRetired && box.asked === 0) void end(box);
    }
  };

  const stats = (): SandboxStats => {
    const now = current?.sandbox.stats() ?? {
      isEnclosed: null,
      hasJit: false,
      hasSpare: false,
      digest: null,
      waiting: 0,
      countsJobs: false,
      readsCosts: false,
    };
    const each = [...boxes].map(({ sandbox }) => sandbox.stats());
    const sum = (name: (typeof COUNTED)[number]): number =>
      each.reduce((total, one) => total + one[name], past[name]);
    return {
      ...now,
      decisions: sum('decisions'),
      failures: sum('failures'),
      respawns: sum('respawns'),
      timeouts: sum('timeouts'),
      outOfSteps: sum('outOfSteps'),
      outOfMemory: sum('outOfMemory'),
      crashes: sum('crashes'),
    };
  };

  const tryOut = async (sources: readonly RuleSource[]): Promise<RulesTrial> => {
    const box: Box = { sandbox: open(), asked: 0, isRetired: false };
    boxes.add(box);
    const report = await box.sandbox.load(sources);
    if (report.kind !== 'loaded') {
      await end(box);
      return report;
    }
    return {
      kind: 'ready',
      rules: report.rules,
      warnings: report.warnings,
      milliseconds: report.milliseconds,
      adopt: () => {
        const before = current;
        current = box;
        if (before !== undefined) retire(before);
      },
      discard: () => end(box),
    };
  };

  return {
    sandbox: {
      weigh: (...question) => ask((sandbox) => sandbox.weigh(...question)),
      map: (...question) => ask((sandbox) => sandbox.map(...question)),
      stats,
    },
    tryOut,
    close: async () => {
      current = undefined;
      await Promise.all([...boxes].map(end));
    },
  };
}
