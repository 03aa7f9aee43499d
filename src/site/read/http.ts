import type { Node, Reader } from '../../yaml/index.ts';
import { readOrigin } from './requests.ts';

/** Settings for browsers. */
export type HttpTerms = {
  /** pages of these origins may use the service; origins as browsers write them */
  readonly allowOrigins: readonly string[];
};

const HINT =
  'scheme, host and port of a site whose pages may use the service, for example https://portal.example.org';

/** Reads `http`. */
export function readHttp(reader: Reader, node: Node | undefined): HttpTerms {
  const found = reader.section(node, 'http', ['allow-origins']);
  const list = reader.expectSeq(found['allow-origins'], 'http.allow-origins');
  const origins = (list?.items ?? []).map((item, index) =>
    readOrigin(reader, item, `http.allow-origins[${index}]`, HINT),
  );
  return { allowOrigins: origins.filter((origin) => origin !== undefined) };
}
