import { mebibytes, seconds, type Mebibytes, type Seconds } from '../../words/units.ts';
import type { MapNode, Node, Reader } from '../../yaml/index.ts';
import { readDuration, readSize } from '../../yaml/fields.ts';

/** The web servers that rules may ask with Python's `requests`, and the limits of answers. */
export type RequestsTerms = {
  /** scheme, host and port, as `URL.origin` writes them */
  readonly origins: readonly string[];
  /** timeout of one request */
  readonly timeout: Seconds;
  /** largest answer */
  readonly size: Mebibytes;
  /** how long an answer to GET is cached */
  readonly cache: Seconds;
};

const HINT = 'scheme, host and port of a server, for example https://stats.example.org:8086';

/** Reads the origin of a server. A path is an error, since it would look like a limit. */
export function readOrigin(
  reader: Reader,
  node: Node,
  what: string,
  hint: string,
): string | undefined {
  const text = reader.expectString(node, what, hint);
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isServer =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.href === `${url.origin}/` &&
    !url.hostname.includes('*');
  return isServer ? url.origin : reader.problem(node, `${what} cannot be '${text}'`, hint);
}

/** Reads `requests`; undefined: rules may ask no server. */
export function readRequests(reader: Reader, node: MapNode | undefined): RequestsTerms | undefined {
  if (node === undefined) return undefined;
  const found = reader.expectKeys(node, 'requests', ['allow', 'timeout', 'max-size', 'cache']);
  if (found.allow === undefined)
    reader.problem(node, "requests needs 'allow', the servers that rules may ask");
  const list = reader.expectSeq(found.allow, 'requests.allow');
  const origins = (list?.items ?? []).map((item, index) =>
    readOrigin(reader, item, `requests.allow[${index}]`, HINT),
  );
  return {
    origins: origins.filter((origin) => origin !== undefined),
    timeout: readDuration(reader, found.timeout, 'requests.timeout', seconds(2)),
    size: readSize(reader, found['max-size'], 'requests.max-size', mebibytes(1)),
    cache: readDuration(reader, found.cache, 'requests.cache', seconds(10)),
  };
}
