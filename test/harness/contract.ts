import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { load } from 'js-yaml';
import { readXml, writeXml } from '../../src/xml/document.ts';
import { openMapping } from '../../src/xml/mapping.ts';

/** api/openapi.yaml as data. */
export const contract: object = Object(
  load(readFileSync(new URL('../../api/openapi.yaml', import.meta.url), 'utf8')),
);

// The service's checker accepts requests that a later step refuses; tests check our documents
// strictly.
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(contract, 'contract');

const { documents } = openMapping(contract);

/**
 * The faults of a document by a schema of api/openapi.yaml; empty if it conforms. A document that
 * the contract has in XML must also come back from XML as it was.
 */
export function contractFaults(schema: string, document: unknown): readonly string[] {
  const validate = ajv.getSchema(`contract#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`the contract has no schema ${schema}`);
  return validate(document)
    ? xmlFaults(schema, document)
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function xmlFaults(schema: string, document: unknown): readonly string[] {
  const own = documents.find((one) => one.schema === schema);
  const keys = Object.keys(Object(document)).join();
  const as = own ?? documents.find(({ isWrapped, root }) => isWrapped && root === keys);
  if (as === undefined) return [];
  const whole: unknown = JSON.parse(
    JSON.stringify(own?.isWrapped === true ? { [own.root]: document } : document),
  );
  const xml = writeXml(whole, as);
  return isDeepStrictEqual(readXml(xml, [as]), whole) ? [] : [`is another document after ${xml}`];
}
