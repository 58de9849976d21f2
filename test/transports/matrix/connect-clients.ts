import type { Transport } from '@connectrpc/connect';
import {
  createGrpcTransport,
  createConnectTransport as createNodeConnectTransport,
  Http2SessionManager,
} from '@connectrpc/connect-node';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-web';
import { createByway } from '../../../src/client/index.js';
import type { TestGateway } from '../../support/gateway.js';
import { callByway } from './byway-call.js';
import type { TransportClient } from './client.js';

/** Transports of the Connect family, called through the typed client. */
export const connectClients = {
  json: ({ url }: TestGateway) =>
    transportOver(createConnectTransport({ baseUrl: url, useBinaryFormat: false })),
  binary: ({ url }: TestGateway) =>
    transportOver(createConnectTransport({ baseUrl: url, useBinaryFormat: true })),
  grpcWeb: ({ url }: TestGateway) => transportOver(createGrpcWebTransport({ baseUrl: url })),
  http2({ url }: TestGateway) {
    const sessionManager = new Http2SessionManager(url);
    const options = { baseUrl: url, httpVersion: '2', sessionManager } as const;
    return transportOver(createNodeConnectTransport(options), sessionManager);
  },
  grpc({ url }: TestGateway) {
    const sessionManager = new Http2SessionManager(url);
    return transportOver(createGrpcTransport({ baseUrl: url, sessionManager }), sessionManager);
  },
};

function transportOver(transport: Transport, session?: Http2SessionManager): TransportClient {
  const byway = createByway(transport);
  return {
    call(method, message, secret) {
      const headers: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` };
      return callByway(byway, method, message, { headers });
    },
    close: () => session?.abort(),
  };
}
