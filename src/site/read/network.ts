import { resolve } from 'node:path';
import { parseAllowed } from '../../fetch/allow-list.ts';
import { parseReference } from '../../tasks/image.ts';
import type { MapNode, Node, Reader } from '../../yaml/index.ts';
import type { Site } from '../site.ts';
import { readHttp } from './http.ts';
import { readRequests } from './requests.ts';
import { readRucioServices, readS3Sources } from './storage.ts';

type NetworkSections = {
  readonly fetch: Node | undefined;
  readonly http: Node | undefined;
  readonly requests: MapNode | undefined;
};

/** Reads which servers tasks, browsers and rules may reach: `fetch`, `http` and `requests`. */
export function readNetwork(
  reader: Reader,
  { fetch, http, requests }: NetworkSections,
  folder: string,
): Pick<Site, 'fetch' | 's3' | 'rucio' | 'http' | 'requests'> {
  return {
    ...readFetch(reader, fetch, folder),
    http: readHttp(reader, http),
    requests: readRequests(reader, requests),
  };
}

function readFetch(
  reader: Reader,
  node: Node | undefined,
  folder: string,
): Pick<Site, 'fetch' | 's3' | 'rucio'> {
  const found = reader.section(node, 'fetch', [
    'allow-hosts',
    'file-roots',
    'registries',
    's3',
    'rucio',
  ]);
  const allowHosts = readHostNames(reader, found['allow-hosts']);
  const registries = found.registries && readRegistries(reader, found.registries);
  const roots = reader.expectStrings(found['file-roots'], 'fetch.file-roots');
  return {
    fetch: {
      allowHosts,
      registries: registries ?? [],
      fileRoots: (roots ?? []).map((root) => resolve(folder, root)),
    },
    s3: readS3Sources(reader, found.s3, folder),
    rucio: readRucioServices(reader, found.rucio, folder),
  };
}

/** Reads hosts as URLs name them once they are parsed, so that one in other letters is found. */
function readHostNames(reader: Reader, node: Node | undefined): readonly string[] {
  const list = reader.expectSeq(node, 'fetch.allow-hosts')?.items ?? [];
  return list.flatMap((item, index) => {
    const what = `fetch.allow-hosts[${index}]`;
    const entry = reader.expectString(item, what);
    if (entry === undefined) return [];
    const found = entry.includes('//') ? undefined : parseAllowed(entry)?.hosts[0];
    if (found !== undefined)
      return [found.port === undefined ? found.host : `${found.host}:${found.port}`];
    reader.problem(
      item,
      `${what} cannot be '${entry}'`,
      'host or host:port, without a scheme or a path, such as data.example.org:8443',
    );
    return [];
  });
}

/** Reads the registries that images may come from: `ghcr.io`, `127.0.0.1:5000`, `quay.io/astro`. */
function readRegistries(reader: Reader, node: Node): readonly string[] {
  const list = reader.expectStrings(node, 'fetch.registries') ?? [];
  for (const entry of list) {
    if (parseReference(`${entry}/image`) === undefined)
      reader.problem(
        node,
        `fetch.registries cannot have '${entry}'`,
        'a host, perhaps with a port and the beginning of a path: ghcr.io, 127.0.0.1:5000, quay.io/astro',
      );
  }
  return list;
}
