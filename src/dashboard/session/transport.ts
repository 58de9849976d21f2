import type { Interceptor, Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { GATEWAY } from './gateway.js';

/**
 * Connect with JSON to the server of the page, with the key in `x-api-key`: `Authorization` may be that of a proxy, which
 * browsers send by themselves.
 */
export function createTransport(managementKey: string): Transport {
  const credential: Interceptor = (next) => (request) => {
    request.header.set('x-api-key', managementKey);
    return next(request);
  };
  return createConnectTransport({ baseUrl: GATEWAY.href.slice(0, -1), interceptors: [credential] });
}
