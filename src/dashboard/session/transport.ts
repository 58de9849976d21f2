import type { Interceptor, Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';

/** Connect with JSON to the server of the page, with the key as bearer token. */
export function createTransport(managementKey: string): Transport {
  const bearer: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${managementKey}`);
    return next(request);
  };
  return createConnectTransport({ baseUrl: window.location.origin, interceptors: [bearer] });
}
