import type { HttpRequest } from '../python/modules/requests/exchange.ts';
import type { TranscriptLine } from '../python/transcript.ts';
import type { JobDescription } from '../vortex/index.ts';
import { parseJob } from '../vortex/job-parse.ts';
import { list, object, oneOf, ShapeError, tagged, stringShape } from '../vortex/shape.ts';
import type { Shape } from '../vortex/shape.ts';
import { httpRequest } from './http-shapes.ts';
import type { SandboxFailure } from './sandbox.ts';

const said: Shape<TranscriptLine> = tagged('kind', {
  printed: object({ to: oneOf('out', 'err'), text: stringShape }),
  logged: object({ level: stringShape, logger: stringShape, text: stringShape }),
});

/** The job as the isolate reads it: checked, without unknown keys. */
export function jobText(job: JobDescription): string | SandboxFailure {
  const checked = parsed('bad-job', () => parseJob(job));
  return 'kind' in checked ? checked : JSON.stringify(checked);
}

/** Reads an answer of the isolate. */
export function answered<T>(text: string, parse: (value: unknown) => T): T | SandboxFailure {
  return parsed('engine-error', () => parse(JSON.parse(storable(text))));
}

/** Reads an answer with the output of rules beside it. */
export function saidWith<T extends object>(parse: (value: unknown) => T) {
  return (value: unknown): T & { readonly said: readonly TranscriptLine[] } => {
    const { said: lines, answer } = object({ said: list(said), answer: parse })(value, 'answer');
    return { ...answer, said: lines };
  };
}

/** The isolate's request for an answer of a web server. */
export function needs(value: unknown): { readonly needs: HttpRequest } {
  return object({ needs: httpRequest })(value, 'answer');
}

/** The result of `parse`, or a failure with the given code for unreadable input. */
function parsed<T>(code: SandboxFailure['code'], parse: () => T): T | SandboxFailure {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ShapeError) && !(error instanceof SyntaxError)) throw error;
    return { kind: 'sandbox', code, message: error.message };
  }
}

/**
 * JSON whose texts PostgreSQL and UTF-8 can hold. Rules can make NUL and lone surrogates, which
 * JSON writes as escapes; they become U+FFFD.
 */
function storable(json: string): string {
  const formed = json.toWellFormed();
  // Most answers have no such escape, and a search for two characters is much cheaper than a match
  // at every place.
  if (!formed.includes('\\u')) return formed;
  return formed.replaceAll(/\\\\|\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})/g, (found) =>
    found === '\\\\' ? found : '\uFFFD',
  );
}
