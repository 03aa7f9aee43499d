import type { Request, Response } from 'express';
import { dump } from 'js-yaml';

const YAML = 'application/yaml';
const JSON_TYPE = 'application/json';

/** YAML unless the client prefers JSON; a browser that takes anything gets YAML as text it can show. */
const prefersJson = (request: Request): boolean =>
  request.accepts([YAML, JSON_TYPE, 'text/yaml', 'application/x-yaml', 'application/problem+yaml', 'application/problem+json', '+json'])
    .toString().includes('json');

/** Sends a document in the representation that the client accepts. `result: "YES"` stays a string in every YAML version. */
export const reply = (request: Request, response: Response, status: number, document: object, problem = false): void => {
  const json = prefersJson(request);
  const type = problem ? `application/problem+${json ? 'json' : 'yaml'}` : json ? JSON_TYPE : YAML;
  const text = json ? JSON.stringify(document) : dump(document, { lineWidth: 120, noRefs: true });
  response.status(status).set('Cache-Control', 'no-store').vary('Accept').type(type).send(text);
};
