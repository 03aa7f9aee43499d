import type { IdentityTerms } from '../site/identity.ts';
import { element, printDocument, type XmlElement } from '../uws/print/xml.ts';

export const NAMESPACES = {
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
  'xmlns:vr': 'http://www.ivoa.net/xml/VOResource/v1.0',
  'xmlns:vs': 'http://www.ivoa.net/xml/VODataService/v1.1',
};

const SSO = 'ivo://ivoa.net/sso';

/** The paths for asks of one dialect; at those of `direct`, the first offer is accepted at once. */
export type AskPaths = { readonly asks: readonly string[]; readonly direct: readonly string[] };

/** What the capabilities depend on. */
export type VosiService = {
  /** URL of the service as the client used it, without a final slash */
  readonly base: string;
  /** where clients ask, in each dialect */
  readonly planners: readonly AskPaths[];
  readonly identity: IdentityTerms;
  /** IVOA identifier of the service, if any */
  readonly identifier: string | undefined;
};

/**
 * The capabilities of the service: VOSI, the UWS job list, and the planner, which has no IVOA
 * identifier.
 */
export function capabilityElements({
  base,
  planners,
  identity,
  identifier,
}: VosiService): readonly XmlElement[] {
  const at = (
    path: string,
    security: readonly XmlElement[],
    role: Readonly<Record<string, string>> = { role: 'std' },
  ) =>
    element(
      'interface',
      { 'xsi:type': 'vs:ParamHTTP', ...role },
      element('accessURL', { use: 'full' }, `${base}${path}`),
      ...security,
    );
  const capability = (standardID: string | undefined, ...children: readonly XmlElement[]) =>
    element('capability', standardID === undefined ? {} : { standardID }, ...children);
  const secured = securityMethods(identity);
  const planner = (does: string, paths: readonly string[]) =>
    capability(
      identifier === undefined ? undefined : `${identifier}#planner`,
      element(
        'description',
        {},
        `${does}: POST ${paths.join(' or ')}. The contract is at /openapi.yaml.`,
      ),
      ...paths.map((path) => at(path, secured, {})),
    );
  return [
    capability('ivo://ivoa.net/std/VOSI#capabilities', at('/capabilities', [])),
    capability('ivo://ivoa.net/std/VOSI#availability', at('/availability', [])),
    capability('ivo://ivoa.net/std/UWS#rest-1.1', at('/jobs', secured)),
    ...planners.flatMap(({ asks, direct }) => [
      planner('Asks whether a task can be executed here, with which resources and when', asks),
      ...(direct.length === 0 ? [] : [planner('Executes a task with the first offer', direct)]),
    ]),
  ];
}

/** Prints the document of VOSI 1.1 § 5.1. */
export function capabilitiesXml(service: VosiService): string {
  return printDocument(
    element(
      'vosi:capabilities',
      { 'xmlns:vosi': 'http://www.ivoa.net/xml/VOSICapabilities/v1.0', ...NAMESPACES },
      ...capabilityElements(service),
    ),
  );
}

/** A securityMethod for each way to log in (SSO 2.0); ways without an identifier are left out. */
function securityMethods({
  anonymous,
  tokens,
  oidc,
  passwords,
  challenges = [],
}: IdentityTerms): readonly XmlElement[] {
  const ways = [
    ...(oidc.length > 0 ? [`${SSO}#OpenID`] : []),
    ...(tokens.length + oidc.length > 0 ? [`${SSO}#OAuth`] : []),
    ...(passwords === undefined ? [] : [`${SSO}#BasicAA`]),
    ...challenges.flatMap((text) => /standard_id="([^"]+)"/.exec(text)?.[1] ?? []),
  ];
  // Without any method, a client may be anonymous and nothing else.
  const withoutMethod = anonymous && ways.length > 0 ? [element('securityMethod')] : [];
  return [
    ...withoutMethod,
    ...[...new Set(ways)].map((standardID) => element('securityMethod', { standardID })),
  ];
}
