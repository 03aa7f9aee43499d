/**
 * Milliseconds of processor time that this process has used: a busy machine makes waiting longer,
 * and this hardly.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
