import type { Express, Request } from 'express';
import type { XmlMapping } from '../../xml/mapping.ts';

const mappings = new WeakMap<object, XmlMapping>();

/** Makes a service speak XML; without this, its documents in XML have no schema. */
export function speakXml(app: Express, mapping: XmlMapping): void {
  mappings.set(app, mapping);
}

/** The mapping of the service that has a request. */
export function xmlMappingOf({ app }: Pick<Request, 'app'>): XmlMapping | undefined {
  return mappings.get(app);
}
