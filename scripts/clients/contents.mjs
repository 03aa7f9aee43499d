// What a package must hold, and what it must never hold.
import { basename } from 'node:path';
import { contractVersion, root } from './source.mjs';

const version = contractVersion();
const WHEEL = `execution_planner_client-${version}`;

/** A kind of package by its file's name: where its files are, and which it must have. */
const KINDS = [
  {
    name: `${WHEEL}-py3-none-any.whl`,
    inside: ['execution_planner/', `${WHEEL}.dist-info/`],
    has: [
      'execution_planner/__init__.py',
      'execution_planner/py.typed',
      `${WHEEL}.dist-info/METADATA`,
      `${WHEEL}.dist-info/entry_points.txt`,
      `${WHEEL}.dist-info/licenses/LICENSE`,
    ],
    tests: false,
    manifest: `${WHEEL}.dist-info/METADATA`,
    says: [`\nVersion: ${version}\n`, '\nLicense-Expression: MIT\n', '\nRequires-Python: '],
  },
  {
    name: `${WHEEL}.tar.gz`,
    inside: [`${WHEEL}/`],
    has: ['pyproject.toml', 'README.md', 'LICENSE', 'execution_planner/py.typed'].map(
      (file) => `${WHEEL}/${file}`,
    ),
    tests: true,
    manifest: `${WHEEL}/PKG-INFO`,
    says: [`\nVersion: ${version}\n`, '\nLicense-Expression: MIT\n'],
  },
  {
    name: `execution-planner-client-${version}.tgz`,
    inside: ['package/'],
    has: ['package/package.json', 'package/README.md', 'package/LICENSE'],
    tests: false,
    manifest: 'package/package.json',
    says: [`"version": "${version}"`, '"license": "MIT"', '"types": "'],
  },
];

/** Names that only a mistake puts into a package. */
const LITTER =
  /\.pyc$|(?:^|\/)(?:__pycache__|node_modules|\.env|\.git|\.npmrc|\.pypirc|\.netrc)(?:\/|$)/;
const TEST = /(?:^|\/)(?:tests?|conftest\.py|bench)(?:\/|$)|\.test\.[cm]?[jt]s$/;
const SECRETS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bpypi-AgE[\w-]{20}/,
  /\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{20}/,
];

/**
 * @returns {string[]} a sentence for everything that is wrong with a package; a secret is never in it
 */
export function wrongWith(/** @type {string} */ path, /** @type {Map<string, Buffer>} */ files) {
  const kind = KINDS.find(({ name }) => name === basename(path));
  if (kind === undefined)
    return [`${basename(path)} is not the name of a package of version ${version}`];
  const manifest = files.get(kind.manifest)?.toString('utf8') ?? '';
  return [
    ...kind.has.filter((name) => !files.has(name)).map((name) => `there is no ${name}`),
    ...kind.says
      .filter((text) => !manifest.includes(text))
      .map((text) => `${kind.manifest} does not say ${text.trim()}`),
    ...[...files].flatMap(([name, content]) => wrongFile(kind, name, content)),
  ].map((sentence) => `${basename(path)}: ${sentence}`);
}

function wrongFile(
  /** @type {(typeof KINDS)[number]} */ kind,
  /** @type {string} */ name,
  /** @type {Buffer} */ content,
) {
  const text = content.toString('latin1');
  return [
    [!kind.inside.some((folder) => name.startsWith(folder)), 'is in no folder of the package'],
    [LITTER.test(name), 'is no file of a package'],
    [!kind.tests && TEST.test(name), 'is a test'],
    [SECRETS.some((secret) => secret.test(text)), 'looks like it has a secret'],
    [text.includes(root), "has a path of the builder's machine"],
  ].flatMap(([isWrong, sentence]) => (isWrong ? [`${name} ${sentence}`] : []));
}
