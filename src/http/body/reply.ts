import type { Request, Response } from 'express';
import { representationOf } from './representation.ts';
import { writeYaml } from './yaml-answer.ts';

const YAML = 'application/yaml';
const JSON_TYPE = 'application/json';

/**
 * Sends a document in the representation that the client prefers, and in YAML to a client that
 * takes none: a refusal always arrives. `result: "YES"` stays a string in every YAML version.
 * Forbids caching unless the route allowed it before.
 */
export function reply(
  request: Request,
  response: Response,
  status: number,
  document: object,
  problem = false,
): void {
  replyAs(request, response, { status, document, problem, toYaml: writeYaml });
}

type Answer<Document extends object> = {
  readonly status: number;
  readonly document: Document;
  readonly problem: boolean;
  readonly toYaml: (document: Document) => string;
};

/** Does the same with another YAML writer, for a document that is too large for the general one. */
export function replyAs<Document extends object>(
  request: Request,
  response: Response,
  { status, document, problem, toYaml }: Answer<Document>,
): void {
  const json = representationOf(request) === 'json';
  const type = problem ? `application/problem+${json ? 'json' : 'yaml'}` : json ? JSON_TYPE : YAML;
  const text = json ? JSON.stringify(document) : toYaml(document);
  if (response.get('Cache-Control') === undefined) response.set('Cache-Control', 'no-store');
  response.status(status).vary('Accept').type(type).send(text);
}
