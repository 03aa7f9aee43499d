import { openPlanner, type ConnectionOptions } from '../../clients/typescript/src/index.ts';

/** What a way to a service does with a request. */
export type Step = (request: Request) => Response | Promise<Response>;

/** A way to a service that does one step after the other, and the last one again and again. */
export function scripted(steps: readonly Step[], options: ConnectionOptions = {}) {
  const requests: Request[] = [];
  const planner = openPlanner('https://planner.example.org/below/', {
    ...options,
    fetch: async (request) => {
      const step = steps[Math.min(requests.length, steps.length - 1)];
      requests.push(request.clone());
      if (step === undefined) throw new Error('there is no step');
      return step(request);
    },
  });
  return { planner, requests };
}

export function answers(document: unknown, headers: Readonly<Record<string, string>> = {}): Step {
  return () => Response.json(document, { headers });
}

export function refuses(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  document: object = { code: 'some-code', detail: 'Not now.' },
): Step {
  return () => Response.json(document, { status, headers });
}

/** The connection is lost. */
export const loses: Step = () => Promise.reject(new TypeError('fetch failed'));

/** Nothing comes until the client has enough. */
export const hangs: Step = ({ signal }) =>
  new Promise((_, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason));
  });

/** The head comes, and the connection is lost within the body. */
export const breaksOff: Step = () =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{"me'));
        controller.error(new TypeError('terminated'));
      },
    }),
  );
