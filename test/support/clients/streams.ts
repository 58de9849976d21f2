/** Calls whose answers are long, as bytes. */
import { enveloped } from '../raw-rpc.js';
import type { Call } from './calls.js';

const TYPES = {
  Connect: 'application/connect+json',
  gRPC: 'application/grpc+json',
  'gRPC-Web': 'application/grpc-web+json',
};

export type StreamProtocol = keyof typeof TYPES;

export const STREAM_PROTOCOLS = Object.keys(TYPES) as StreamProtocol[];

/** A server-streaming RPC of `byway.v1`. */
export function streamCall(protocol: StreamProtocol, path: string, message: object): Call {
  return {
    path: `/byway.v1.${path}`,
    headers: { 'content-type': TYPES[protocol], te: 'trailers' },
    body: enveloped(Buffer.from(JSON.stringify(message))),
  };
}

export function getCall(path: string): Call {
  return { method: 'GET', path, headers: {}, body: Buffer.alloc(0) };
}
