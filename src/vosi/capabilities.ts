import type { IdentityTerms } from '../site/identity.ts';
import { element, printDocument, type XmlElement } from '../uws/print/xml.ts';

export const NAMESPACES = {
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
  'xmlns:vr': 'http://www.ivoa.net/xml/VOResource/v1.0',
  'xmlns:vs': 'http://www.ivoa.net/xml/VODataService/v1.1',
};

const SSO = 'ivo://ivoa.net/sso';

/** What the capabilities depend on. */
export type VosiService = {
  /** URL of the service as the client used it, without a final slash */
  readonly base: string;
  /** paths for asks, one for each dialect */
  readonly asks: readonly string[];
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
  asks,
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
  return [
    capability('ivo://ivoa.net/std/VOSI#capabilities', at('/capabilities', [])),
    capability('ivo://ivoa.net/std/VOSI#availability', at('/availability', [])),
    capability('ivo://ivoa.net/std/UWS#rest-1.1', at('/jobs', secured)),
    ...asks.map((path) =>
      capability(
        identifier === undefined ? undefined : `${identifier}#planner`,
        element(
          'description',
          {},
          'Asks whether a task can be executed here, with which resources and when: POST ' +
            `${path}. The contract is at /openapi.yaml.`,
        ),
        at(path, secured, {}),
      ),
    ),
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
