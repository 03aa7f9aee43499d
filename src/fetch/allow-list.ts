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
 * A host that may be asked, at any port if `port` is undefined; over plain HTTP only if the list
 * says so.
 */
type AllowedHost = {
  readonly host: string;
  readonly port: string | undefined;
  readonly plain: boolean;
};

/**
 * The hosts that may be asked, and the networks outside the public Internet (`address/bits`) that
 * their names may resolve to.
 */
export type AllowList = {
  readonly hosts: readonly AllowedHost[];
  readonly networks: readonly string[];
};

const LONGEST_URL = 2000;

/**
 * Reads an entry of an allow-list: `host`, `host:port`, `http://host:port` for plain HTTP, or
 * `10.0.0.0/8` for addresses that names may resolve to. A host that is an address allows that
 * address.
 *
 * @returns undefined for anything else
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

/**
 * Why a URL may not be asked; undefined if it may. Addresses are checked after they are resolved.
 */
export function objectionTo(url: URL, { hosts }: AllowList): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `the scheme ${url.protocol} is not fetched`;
  if (url.href.length > LONGEST_URL) return `the URL is longer than ${LONGEST_URL} characters`;
  if (url.username !== '' || url.password !== '')
    return 'the URL carries credentials, which logs would show';
  const named = hosts.filter(
    ({ host, port }) => host === hostOf(url) && (port === undefined || port === portOf(url)),
  );
  if (named.length === 0)
    return `the host ${hostOf(url)}${url.port === '' ? '' : `, port ${url.port},`} is not on the list of allowed hosts`;
  if (url.protocol === 'http:' && !named.some(({ plain }) => plain))
    return `the host ${hostOf(url)} is allowed over https: only`;
  return undefined;
}

/** A policy that allows listed hosts at public addresses and at addresses that the list names. */
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
