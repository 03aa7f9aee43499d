import type { Usage } from '../../port.ts';
import { usageIn } from '../../run/usage.ts';

/**
 * What the launch script has written so far: one line an event, each in one write, so
 * never half a line is believed.
 */
export type Status = {
  /**
   * the script itself: its pid, its start time in clock ticks since boot,
   * and the boot id of the machine
   */
  readonly started:
    | { readonly pid: number; readonly startTicks: number; readonly boot: string }
    | undefined;
  /** true when the script stopped the job because its wall time was over */
  readonly timedOut: boolean;
  /** true when the kernel killed something of the job because its cgroup had no memory left */
  readonly outOfMemory: boolean;
  /** true when the script could not make the cgroup of the job, which then did not run */
  readonly isUnheld: boolean;
  /** exit status of the job as a shell tells it: above 128 for a signal */
  readonly exit: number | undefined;
  readonly usage: Usage | undefined;
};

/** Reads the status file. Lines that are not whole or not known are passed over. */
export function parseStatus(text: string): Status {
  const lines = text.split('\n').slice(0, -1);
  const started = lines
    .map((line) => /^start (\d+) (\d+) ([0-9a-f-]{36})$/.exec(line))
    .find((match) => match !== null);
  const exit = lines.map((line) => /^exit (\d{1,3})$/.exec(line)).find((match) => match !== null);
  return {
    started: started && {
      pid: Number(started[1]),
      startTicks: Number(started[2]),
      boot: started[3] ?? '',
    },
    timedOut: lines.includes('stopped wall-time'),
    isUnheld: lines.includes('failed cgroup'),
    outOfMemory: lines.includes('killed memory'),
    exit: exit && Number(exit[1]),
    usage: usageIn(lines),
  };
}
