import type { RegistryTerms } from '../site/registry.ts';
import { element, printDocument, type XmlElement } from '../uws/print/xml.ts';
import { capabilityElements, NAMESPACES, type VosiService } from './capabilities.ts';

/**
 * Prints the service as a record of the IVOA registry (VOResource 1.1), for a publishing registry
 * to harvest.
 *
 * @param title name of the site
 */
export function recordXml(
  terms: RegistryTerms,
  title: string,
  service: Omit<VosiService, 'identifier'>,
): string {
  const at = `${terms.created}T00:00:00Z`;
  return printDocument(
    element(
      'ri:Resource',
      {
        'xmlns:ri': 'http://www.ivoa.net/xml/RegistryInterface/v1.0',
        ...NAMESPACES,
        'xsi:type': 'vr:Service',
        created: at,
        updated: at,
        status: 'active',
        version: '1.1',
      },
      element('title', {}, title),
      element('shortName', {}, title.slice(0, 16)),
      element('identifier', {}, terms.identifier),
      curation(terms),
      content(terms, service.base),
      ...capabilityElements({ ...service, identifier: terms.identifier }),
    ),
  );
}

function curation({ publisher, created, contact }: RegistryTerms): XmlElement {
  return element(
    'curation',
    {},
    element('publisher', {}, publisher),
    element('date', { role: 'Created' }, created),
    element(
      'contact',
      {},
      element('name', {}, contact.name),
      ...(contact.email === undefined ? [] : [element('email', {}, contact.email)]),
    ),
  );
}

function content({ subjects, description, referenceUrl }: RegistryTerms, base: string): XmlElement {
  return element(
    'content',
    {},
    ...subjects.map((subject) => element('subject', {}, subject)),
    element('description', {}, description),
    element('referenceURL', {}, referenceUrl ?? `${base}/docs`),
    element('type', {}, 'Other'),
  );
}
