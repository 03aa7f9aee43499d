// `npm run sbom`: writes sbom.cdx.json, the bill of materials of the service (CycloneDX, made by
// npm from the lock file), and THIRD-PARTY-NOTICES.md, its licences. With `--check` it writes
// nothing and fails if the notices are not current.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import satisfies from 'spdx-satisfies';

const root = fileURLToPath(new URL('..', import.meta.url));
const NOTICES = `${root}THIRD-PARTY-NOTICES.md`;

/** Licences that allow everybody to run, change and redistribute the service. */
const ALLOWED = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Zlib',
];

/** Packages that state their licence in an old way: `licenses` in their package.json. */
const SAID = { busboy: 'MIT', streamsearch: 'MIT' };

/**
 * The packages of `npm ci --omit=dev` and the optional packages, as `name@version`; the lock file
 * marks the others.
 */
const running = new Set(
  Object.entries(read('package-lock.json').packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path, { name = path.split('node_modules/').at(-1), version }]) => `${name}@${version}`),
);

const bill = readBill();
const refused = bill.components.filter((component) => !isAllowed(licenceOf(component)));
for (const component of refused)
  console.error(
    `${component['bom-ref']}: the licence ${licenceOf(component)} is not one of those in scripts/sbom.mjs`,
  );
const notices = noticesOf(bill.components);
if (process.argv.includes('--check')) {
  if (readFileSync(NOTICES, 'utf8') !== notices) {
    console.error('THIRD-PARTY-NOTICES.md is not current: npm run sbom');
    process.exitCode = 1;
  }
} else {
  writeFileSync(`${root}sbom.cdx.json`, `${JSON.stringify(bill, null, 2)}\n`);
  writeFileSync(NOTICES, notices);
}
if (refused.length > 0) process.exitCode = 1;

function readBill() {
  const words = [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--package-lock-only',
  ];
  const bill = JSON.parse(
    execFileSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 }),
  );
  // npm uses the folder's name, and its `--omit dev` drops packages that both need, such as ajv.
  bill.metadata.component.name = read('package.json').name;
  bill.components = bill.components.filter(({ name, version }) =>
    running.has(`${name}@${version}`),
  );
  const kept = new Set([
    bill.metadata.component['bom-ref'],
    ...bill.components.map((component) => component['bom-ref']),
  ]);
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((other) => kept.has(other)),
    }));
  return bill;
}

function read(file) {
  return JSON.parse(readFileSync(`${root}${file}`, 'utf8'));
}

function isAllowed(licence) {
  try {
    return satisfies(licence, ALLOWED);
  } catch {
    return false;
  }
}

function noticesOf(components) {
  const lines = components
    .map((component) => `| ${component.name} | ${component.version} | ${licenceOf(component)} |`)
    .sort();
  return `# Third-party notices

ExecutionPlanner runs with these packages of npm. Each brings the text of its licence, in its folder below \`node_modules\`.
\`npm run sbom\` writes this page from the lock file; a test holds it current.

| package | version | licence |
|---|---|---|
${[...new Set(lines)].join('\n')}
`;
}

/** @returns {string | undefined} an SPDX expression */
function licenceOf({ name, licenses: [{ license, expression } = {}] = [] }) {
  return expression ?? license?.id ?? license?.name ?? SAID[name];
}
