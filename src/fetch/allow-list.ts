import {
  hostOf,
  isAddress,
  isInside,
  isPublicAddress,
  networkOfAddress,
  portOf,
} from './addresses.ts';
import { FetchFailure } from './failure.ts';
import type { GetPolicy } from './get.ts';

/**
 * A host that may be asked; without `port` at any, and over plain HTTP only where the list says so.
 */
export type AllowedHost = {
  readonly host: string;
  readonly port: string | undefined;
  readonly plain: boolean;
};

/**
 * Who may be asked, and which addresses outside the public Internet
 * (`address/bits`) their names may stand for.
 */
export type AllowList = {
  readonly hosts: readonly AllowedHost[];
  readonly networks: readonly string[];
};

const LONGEST_URL = 2000;

/**
 * Reads entries of an allow-list: `host`, `host:port`, `http://host:port` for plain HTTP, and
 * `10.0.0.0/8` for addresses that names may stand for. A host that is an address stands for itself.
 *
 * @returns undefined for an entry that is none of these
 */
export function parseAllowed(entry: string): AllowList | undefined {
  const network = entry.includes('/') ? networkOfAddress(entry) : undefined;
  if (network !== undefined) return { hosts: [], networks: [network] };
  const isBareIpv6 = isAddress(entry) && entry.includes(':');
  const url = URL.parse(
    /^https?:\/\//i.test(entry) ? entry : `https://${isBareIpv6 ? `[${entry}]` : entry}`,
  );
  if (url === null || url.hostname === '' || url.pathname !== '/' || /[?#@*]|\/$/.test(entry))
    return undefined;
  const own = networkOfAddress(hostOf(url));
  const port = /:(\d+)$/.exec(isBareIpv6 ? '' : entry)?.[1];
  const host = { host: hostOf(url), port, plain: url.protocol === 'http:' };
  return { hosts: [host], networks: own === undefined ? [] : [own] };
}

/** The entries as one list. */
export function joinAllowed(lists: readonly AllowList[]): AllowList {
  return {
    hosts: lists.flatMap(({ hosts }) => hosts),
    networks: lists.flatMap(({ networks }) => networks),
  };
}

/** Why a URL may not be asked, undefined when it may. Addresses are checked when they are known. */
export function objectionTo(url: URL, { hosts }: AllowList): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `the scheme ${url.protocol} is not fetched`;
  if (url.href.length > LONGEST_URL) return `the URL is longer than ${LONGEST_URL} characters`;
  if (url.username !== '' || url.password !== '')
    return 'the URL carries credentials, which would end in logs';
  const named = hosts.filter(
    ({ host, port }) => host === hostOf(url) && (port === undefined || port === portOf(url)),
  );
  if (named.length === 0)
    return `the host ${hostOf(url)}${url.port === '' ? '' : `, port ${url.port},`} is not on the list of allowed hosts`;
  if (url.protocol === 'http:' && !named.some(({ plain }) => plain))
    return `the host ${hostOf(url)} is allowed over https: only`;
  return undefined;
}

/** A policy of listed hosts at public addresses, and at those that the list itself names. */
export function listedHosts(list: AllowList): GetPolicy {
  return {
    allowed: (text) => {
      const url = URL.parse(text);
      const objection = url === null ? 'this is not an absolute URL' : objectionTo(url, list);
      if (url === null || objection !== undefined)
        throw new FetchFailure('url-forbidden', objection ?? '');
      return url;
    },
    isOpen: (_url, address) => isPublicAddress(address) || isInside(address, list.networks),
  };
}
