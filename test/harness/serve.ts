import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { openClient } from './client.ts';
import { startTestService, type TestService } from './service.ts';

/** A service that runs while the tests of a block run, and a client of it. */
export type ServedTests = Omit<TestService, 'close'> & {
  readonly send: ReturnType<typeof openClient>;
};

/**
 * Runs a service for the tests of the present block, with what `startTestService` takes. It is
 * there in tests and hooks only.
 */
export function serveTests(...terms: Parameters<typeof startTestService>): ServedTests {
  let service: TestService;
  let send: ServedTests['send'];
  beforeAll(async () => {
    service = await startTestService(...terms);
    send = openClient(service.url);
  });
  afterAll(() => service?.close());
  return {
    get url() {
      return service.url;
    },
    get db() {
      return service.db;
    },
    get site() {
      return service.site;
    },
    waiting: () => service.waiting(),
    send: (path, options) => send(path, options),
  };
}

/** Each test of the present block finds a database without asks, offers and reservations. */
export function emptyBookBeforeEach(service: ServedTests): void {
  beforeEach(async () => {
    await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
  });
}
