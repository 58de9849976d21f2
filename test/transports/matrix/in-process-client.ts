import { createByway } from '../../../src/client/index.js';
import type { TestGateway } from '../../support/gateway.js';
import { callerOptions } from '../../support/in-process.js';
import { callByway } from './byway-call.js';
import type { TransportClient } from './client.js';

/** The in-process transport: nothing is serialised, and the caller is given. */
export function inProcessClient(gateway: TestGateway): TransportClient {
  const byway = createByway(gateway.gateway.transport);
  return {
    async call(method, message, secret) {
      return callByway(byway, method, message, await callerOptions(gateway, secret));
    },
  };
}
