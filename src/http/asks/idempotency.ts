import { hash } from 'node:crypto';
import type { Request } from 'express';
import type { DecisionKey } from '../../planner/guard.ts';
import type { UwsCall } from '../../uws/call.ts';
import { Problem } from '../../words/problem.ts';

/** A structured-field string (RFC 8941), or the same without quotes, as many clients send it. */
const KEY = /^(?:"([\x20-\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/;

/** {@link decisionKeyOf} a request with one document. */
export function readDecisionKey(request: Request): DecisionKey | undefined {
  return decisionKeyOf(request, () => digestOf(JSON.stringify(request.body) ?? ''));
}

/**
 * {@link decisionKeyOf} a request for a job, whose list has two paths.
 *
 * @param description as it came, in the body or by REQUEST
 */
export function readJobKey(
  { req, parameters, body }: UwsCall,
  description: Uint8Array,
): DecisionKey | undefined {
  const key = decisionKeyOf(req, () => {
    const digest = digestOf(description);
    const more = [
      ...[...parameters].map(([name, { values }]) => [name, ...values]),
      ...[...body.inline].map(([name, { type, content }]) => [name, type, digestOf(content)]),
    ];
    return more.length === 0 ? digest : digestOf(JSON.stringify([digest, more.toSorted()]));
  });
  return key && { ...key, route: 'POST /jobs/' };
}

/**
 * The key that marks repeated requests (draft-ietf-httpapi-idempotency-key-header), with its
 * request.
 *
 * @param hashBody makes the digest of the request's body
 * @throws Problem `parameter-invalid` (400) for a malformed header
 */
function decisionKeyOf(request: Request, hashBody: () => string): DecisionKey | undefined {
  const header = request.get('idempotency-key');
  if (header === undefined) return undefined;
  const [, quoted, plain] = KEY.exec(header) ?? [];
  const key = quoted ?? plain;
  if (key === undefined) {
    const wanted = '1 to 255 printable ASCII characters without quotes and backslashes';
    throw new Problem('parameter-invalid', `The header Idempotency-Key must be ${wanted}.`, {
      errors: [{ path: 'Idempotency-Key', text: `must be ${wanted}` }],
    });
  }
  return {
    key,
    route: `${request.method} ${request.baseUrl}${request.path}`,
    bodyHash: hashBody(),
  };
}

function digestOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url');
}
