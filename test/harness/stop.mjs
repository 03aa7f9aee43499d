import { rm } from 'node:fs/promises';

export default async function stop() {
  const { server, directory } = globalThis.testDatabaseServer;
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
