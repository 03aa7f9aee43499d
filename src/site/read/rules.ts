import { resolve } from 'node:path';
import { joinAllowed, objectionTo, parseAllowed, type AllowList } from '../../fetch/allow-list.ts';
import { seconds, type Seconds } from '../../words/units.ts';
import type { MapNode, Node, Reader, StringNode } from '../../yaml/index.ts';
import { readDuration } from '../../yaml/fields.ts';
import { cutOut } from './inline.ts';
import type { RuleOrigin } from '../rule-origin.ts';

/** The context for reading the entries of `rules`. */
type Surroundings = {
  readonly reader: Reader;
  readonly folder: string;
  /** of the whole site file */
  readonly text: string;
  readonly hosts: AllowList;
  readonly refresh: Seconds;
};

const USUAL_REFRESH = seconds(300);
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const ENTRY = "a path, an http(s) URL, a mapping with 'url', or a mapping with 'inline'";

/**
 * Reads `rules` and `rule-urls`: the rule files in merge order, and the hosts that may serve them.
 *
 * @param text of the whole site file, which contains inline rules
 */
export function readRules(
  reader: Reader,
  root: MapNode,
  text: string,
  folder: string,
  { rules, urls }: { readonly rules: Node | undefined; readonly urls: Node | undefined },
): { readonly rules: readonly RuleOrigin[]; readonly ruleHosts: AllowList } {
  const found = reader.section(urls, 'rule-urls', ['allow-hosts', 'refresh']);
  const ruleHosts = readHosts(reader, found['allow-hosts']);
  const surroundings = {
    reader,
    folder,
    text,
    hosts: ruleHosts,
    refresh: readDuration(reader, found.refresh, 'rule-urls.refresh', USUAL_REFRESH),
  };
  if (rules === undefined)
    reader.problem(root, "the site file needs 'rules', the list of TPV rule files");
  const list = reader.expectSeq(rules, 'rules');
  if (list?.items.length === 0) reader.problem(list, 'rules must name at least one TPV rule file');
  const origins = (list?.items ?? []).map((item, index) =>
    readOrigin(item, `rules[${index}]`, surroundings),
  );
  return { rules: origins.filter((origin) => origin !== undefined), ruleHosts };
}

function readHosts(reader: Reader, node: Node | undefined): AllowList {
  const entries = reader.expectStrings(node, 'rule-urls.allow-hosts') ?? [];
  const lists = entries.map(
    (entry) =>
      parseAllowed(entry) ??
      reader.problem(
        node ?? { line: 1, column: 1 },
        `rule-urls.allow-hosts cannot have '${entry}'`,
        'host, host:port, http://host:port, or addresses such as 10.0.0.0/8',
      ),
  );
  return joinAllowed(lists.filter((list) => list !== undefined));
}

function readOrigin(node: Node, what: string, surroundings: Surroundings): RuleOrigin | undefined {
  if (node.kind === 'map') return readEntry(node, what, surroundings);
  if (node.kind !== 'string') return surroundings.reader.problem(node, `${what} must be ${ENTRY}`);
  if (!SCHEME.test(node.value))
    return { kind: 'file', path: resolve(surroundings.folder, node.value) };
  const url = readUrl(node, what, surroundings);
  return url === undefined
    ? undefined
    : { kind: 'url', url, sha256: undefined, refresh: surroundings.refresh };
}

function readEntry(
  node: MapNode,
  what: string,
  surroundings: Surroundings,
): RuleOrigin | undefined {
  const { reader, text } = surroundings;
  const found = reader.expectKeys(node, what, ['url', 'sha256', 'refresh', 'inline']);
  if (found.inline !== undefined) {
    if (node.entries.length > 1)
      reader.problem(node, `${what} has 'inline' and other keys`, "'inline' stands alone");
    const config = reader.expectMap(found.inline, `${what}.inline`);
    const own = config && cutOut(reader, config, text, `${what}.inline`);
    return own === undefined ? undefined : { kind: 'inline', file: reader.file, text: own };
  }
  if (found.url === undefined) return reader.problem(node, `${what} must be ${ENTRY}`);
  const refresh = readDuration(reader, found.refresh, `${what}.refresh`, surroundings.refresh);
  const sha256 = reader.expectString(found.sha256, `${what}.sha256`)?.toLowerCase();
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) {
    reader.problem(
      found.sha256 ?? node,
      `${what}.sha256 must be the SHA-256 of the file, 64 hexadecimal digits`,
      'sha256sum FILE',
    );
  }
  if (found.url.kind !== 'string')
    return reader.problem(found.url, `${what}.url must be an http(s) URL`);
  const url = readUrl(found.url, `${what}.url`, surroundings);
  return url === undefined ? undefined : { kind: 'url', url, sha256, refresh };
}

function readUrl(
  node: StringNode,
  what: string,
  { reader, hosts }: Surroundings,
): string | undefined {
  const url = URL.parse(node.value);
  if (url === null || !/^https?:\/\//i.test(node.value)) {
    return reader.problem(node, `${what} cannot be '${node.value}'`, 'a path or an http(s) URL');
  }
  const objection = objectionTo(url, hosts);
  if (objection === undefined) return url.href;
  return reader.problem(
    node,
    `${what}: ${objection}`,
    'rule-urls.allow-hosts of the site file lists the hosts that serve rules',
  );
}
