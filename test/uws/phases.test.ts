import { describe, expect, test } from '@jest/globals';
import {
  isActive,
  JOB_STATES,
  matchPhases,
  type Phase,
  phaseOf,
  PHASES,
  parsePhase,
} from '../../src/uws/phases.ts';

describe('the phase of a job', () => {
  test.each([
    ['ACCEPTED', 'QUEUED', 'PENDING'],
    ['WAITING', 'QUEUED', 'QUEUED'],
    ['PREPARING', 'QUEUED', 'QUEUED'],
    ['AVAILABLE', 'QUEUED', 'QUEUED'],
    ['RUNNING', 'EXECUTING', 'EXECUTING'],
    ['RELEASING', 'EXECUTING', 'EXECUTING'],
    ['COMPLETED', 'COMPLETED', 'COMPLETED'],
    ['FAILED', 'ERROR', 'ERROR'],
    ['CANCELLED', 'ABORTED', 'ABORTED'],
    ['UNKNOWN', 'UNKNOWN', 'UNKNOWN'],
  ] as const)(
    '%s is %s when it starts by itself and %s when its client starts it',
    (state, auto, client) => {
      expect(phaseOf({ state, startMode: 'AUTO', archived: false })).toBe(auto);
      expect(phaseOf({ state, startMode: 'CLIENT', archived: false })).toBe(client);
    },
  );

  test('is ARCHIVED past its destruction, whatever it was before', () => {
    for (const state of JOB_STATES)
      expect(phaseOf({ state, startMode: 'AUTO', archived: true })).toBe('ARCHIVED');
  });

  test('makes a client wait only while the job can leave it by itself', () => {
    expect(PHASES.filter(isActive)).toEqual(['PENDING', 'QUEUED', 'EXECUTING']);
  });

  test.each(['pending', 'pendinggg', '1345', '', 'toString', '__proto__'])(
    '%p is no phase',
    (text) => {
      expect(parsePhase(text)).toBeUndefined();
    },
  );
});

describe('the filter by phase', () => {
  test('finds exactly the jobs that show one of the phases', () => {
    for (const phase of PHASES) {
      const match = matchPhases(new Set([phase]));
      for (const state of JOB_STATES) {
        for (const startMode of ['AUTO', 'CLIENT'] as const) {
          expect(match.progress.includes(`${state}/${startMode}`)).toBe(
            phaseOf({ state, startMode, archived: false }) === phase,
          );
        }
      }
      expect(match.archived).toBe(phase === 'ARCHIVED');
    }
  });

  test('is a union for several phases', () => {
    const phases: ReadonlySet<Phase> = new Set(['PENDING', 'ERROR']);
    expect(matchPhases(phases)).toEqual({
      progress: ['ACCEPTED/CLIENT', 'FAILED/AUTO', 'FAILED/CLIENT'],
      isAny: false,
      archived: false,
      isLive: false,
    });
  });

  test('has no condition for jobs of any phase', () => {
    expect(matchPhases(new Set(PHASES)).isAny).toBe(true);
    const shown = PHASES.filter((phase) => phase !== 'ARCHIVED');
    expect(matchPhases(new Set(shown))).toMatchObject({ isAny: true, archived: false });
  });
});
