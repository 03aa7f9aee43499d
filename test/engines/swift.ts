import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { s3Client, type S3Account } from '../../src/storage/s3.ts';
import { freePort } from '../harness/free-port.ts';
import { command, daemon, type Daemon } from './daemon.ts';
import { needs, type Missing } from './packages.ts';

/**
 * OpenStack Swift with its S3 interface: an object store of science clouds, which checks
 * signatures.
 */
export type Swift = {
  readonly account: S3Account;
  readonly folder: string;
  readonly close: () => Promise<void>;
};

/** Installs Swift if it is missing. @returns why it is not available */
export function swiftMissing(): Missing {
  const missing = needs(
    'swift-proxy',
    'swift-account',
    'swift-container',
    'swift-object',
    'memcached',
  );
  if (missing !== undefined) return missing;
  return spawnSync('unshare', ['-m', 'true']).status === 0
    ? undefined
    : 'it reads /etc/swift alone, and this machine gives no mount namespace to put another in its place';
}

const PARTS = ['account', 'container', 'object'] as const;

/** Starts Swift below one temporary folder, and makes buckets. */
export async function startSwift(...buckets: readonly string[]): Promise<Swift> {
  const folder = mkdtempSync('/var/tmp/swift-test-');
  for (const name of ['etc', 'devices/d1']) mkdirSync(join(folder, name), { recursive: true });
  const daemons: Daemon[] = [];
  const close = async (): Promise<void> => {
    for (const one of daemons.toReversed()) await one.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    writeFileSync(
      join(folder, 'etc', 'swift.conf'),
      '[swift-hash]\nswift_hash_path_suffix = of\nswift_hash_path_prefix = test\n' +
        '[storage-policy:0]\nname = one\ndefault = yes\n',
    );
    const [cachePort, proxyPort] = [await freePort(), await freePort()];
    daemons.push(
      await daemon(
        'memcached',
        ['-l', '127.0.0.1', '-p', String(cachePort), '-u', 'root', '-m', '16', '-t', '1'],
        { log: join(folder, 'memcached.log'), ready: () => answers(cachePort) },
      ),
    );
    for (const part of PARTS) {
      const port = await freePort();
      buildRing(folder, part, port);
      writeFileSync(join(folder, 'etc', `${part}-server.conf`), server(part, folder, port));
      daemons.push(await start(folder, part, port));
    }
    writeFileSync(join(folder, 'etc', 'proxy-server.conf'), proxy(folder, proxyPort, cachePort));
    daemons.push(await start(folder, 'proxy', proxyPort));
    const account = {
      endpoint: `http://127.0.0.1:${proxyPort}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test:tester', secretAccessKey: 'testing' },
    };
    for (const Bucket of buckets) await s3Client(account).send(new CreateBucketCommand({ Bucket }));
    return { account, folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}

/** Rings map objects to devices; here there is one device. */
function buildRing(folder: string, part: string, port: number): void {
  const builder = join(folder, 'etc', `${part}.builder`);
  command('swift-ring-builder', [builder, 'create', '4', '1', '1']);
  command('swift-ring-builder', [builder, 'add', `r1z1-127.0.0.1:${port}/d1`, '1']);
  // Exit code 1 is a warning: a single device cannot be balanced.
  spawnSync('swift-ring-builder', [builder, 'rebalance']);
}

function server(part: string, folder: string, port: number): string {
  return `${common(folder, port)}
[pipeline:main]
pipeline = ${part}-server
[app:${part}-server]
use = egg:swift#${part}
`;
}

function common(folder: string, port: number): string {
  return `
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = root
swift_dir = ${folder}/etc
devices = ${folder}/devices
mount_check = false
disable_fallocate = true
log_name = test
log_address = ${folder}/no-log
`;
}

/** Every daemon has its own mount namespace, in which our folder replaces /etc/swift. */
function start(folder: string, part: string, port: number): Promise<Daemon> {
  return daemon(
    'unshare',
    [
      '-m',
      '--propagation',
      'private',
      'sh',
      '-c',
      'mount --bind "$1" /etc/swift && exec "$2" "$3"',
      'sh',
      join(folder, 'etc'),
      `swift-${part}-server`,
      join(folder, 'etc', `${part}-server.conf`),
    ],
    { log: join(folder, `${part}.log`), ready: () => answers(port) },
  );
}

const PIPELINE =
  'catch_errors proxy-logging cache listing_formats s3api tempauth bulk slo dlo ' +
  'versioned_writes copy symlink proxy-server';
/** Filters of the pipeline that need no settings. */
const PLAIN_FILTERS = [
  'catch_errors',
  'listing_formats',
  'bulk',
  'slo',
  'dlo',
  'versioned_writes',
  'copy',
  'symlink',
];

function proxy(folder: string, port: number, memcached: number): string {
  return `${common(folder, port)}
[pipeline:main]
pipeline = ${PIPELINE}
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${memcached}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
min_segment_size = 5242880
${PLAIN_FILTERS.map((name) => `[filter:${name}]\nuse = egg:swift#${name}`).join('\n')}
[filter:proxy-logging]
use = egg:swift#proxy_logging
`;
}
