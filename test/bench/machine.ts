import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os';
import type { Client } from 'pg';

/** Where and when the numbers were measured. */
export type Machine = {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly node: string;
  readonly postgres: string;
  readonly fsync: string;
  /** 1-minute load average before the first measurement, from other processes */
  readonly loadBefore: number;
  readonly at: string;
};

export async function readMachine(client: Client): Promise<Machine> {
  const {
    rows: [row],
  } = await client.query(
    `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync`,
  );
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${platform()} ${arch()}`,
    node: process.version,
    postgres: String(row?.version),
    fsync: String(row?.fsync),
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    at: new Date().toISOString(),
  };
}
