import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { load } from 'js-yaml';

/** api/openapi.yaml as data. */
export const contract: object = Object(
  load(readFileSync(new URL('../../api/openapi.yaml', import.meta.url), 'utf8')),
);

// The service's checker accepts requests that a later step refuses; tests check our documents
// strictly.
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(contract, 'contract');

/** The faults of a document by a schema of api/openapi.yaml; empty if it conforms. */
export function contractFaults(schema: string, document: unknown): readonly string[] {
  const validate = ajv.getSchema(`contract#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`the contract has no schema ${schema}`);
  return validate(document)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
