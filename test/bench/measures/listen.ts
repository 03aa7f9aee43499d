import type { Express } from 'express';

/** Listens on a free port of this machine and tells the parent process the URL. */
export function listen(app: Express): Promise<void> {
  return new Promise((done, failed) => {
    const server = app.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') {
        failed(new Error('no address'));
        return;
      }
      process.send?.({ url: `http://127.0.0.1:${address.port}` });
      done();
    });
  });
}
