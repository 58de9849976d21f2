import { onTestFinished } from 'vitest';
import { type Exchange, type FakeServer, startFailingServer } from './failing-server.js';

export {
  type Exchange,
  type Failures,
  type FakeServer,
  jsonOf,
  type Planned,
  planFor,
} from './failing-server.js';

/** Registers a function that stops something; by default it is called after the test. */
export type AtEnd = (end: () => Promise<void>) => void;

/** Starts a server that ends with the test, or when `atEnd` says so. */
export async function startFakeServer(
  handle: (exchange: Exchange) => Promise<void>,
  atEnd: AtEnd = onTestFinished,
): Promise<FakeServer> {
  const server = await startFailingServer(handle);
  atEnd(() => server.close());
  return server;
}
