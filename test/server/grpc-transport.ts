import { createRequire } from 'node:module';
import type { ConnectRouter } from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import Fastify from 'fastify';

/** A server that speaks gRPC over cleartext HTTP/2 on a free port of the loopback interface. */
export interface GrpcTransport {
  /** `host:port`. */
  readonly address: string;
  close(): Promise<void>;
}

/** Opens one with the routes. Closing it waits for the calls in flight. */
export async function openGrpcTransport(routes: (router: ConnectRouter) => void): Promise<GrpcTransport> {
  const app = Fastify({ http2: true, http2SessionTimeout: 1_000 });
  await app.register(fastifyConnectPlugin, { routes });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { address: new URL(url).host, close: () => app.close() };
}

/**
 * A client of another make (@grpc/grpc-js) for one service. Requests and answers are plain objects in proto spelling.
 */
export class GrpcPeer {
  private readonly client: grpc.Client;
  private readonly methods: grpc.ServiceDefinition;

  /** `protoFile` is one of an npm package, such as `grpc-health-check/proto/health/v1/health.proto`. */
  constructor(
    address: string,
    protoFile: string,
    service: string,
    credentials = grpc.credentials.createInsecure(),
  ) {
    const path = createRequire(import.meta.url).resolve(protoFile);
    const definition = loadSync(path, { keepCase: true, enums: String, oneofs: true })[service];
    if (definition === undefined || 'format' in definition) throw new Error(`${protoFile} lacks ${service}`);
    this.methods = definition;
    this.client = new grpc.Client(address, credentials);
  }

  unary(name: string, request: object): Promise<unknown> {
    const { path, requestSerialize, responseDeserialize } = this.method(name);
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, answer) =>
        error === null ? resolve(answer) : reject(error),
      );
    });
  }

  serverStream(name: string, request: object): grpc.ClientReadableStream<unknown> {
    const { path, requestSerialize, responseDeserialize } = this.method(name);
    return this.client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
  }

  duplex(name: string): grpc.ClientDuplexStream<unknown, unknown> {
    const { path, requestSerialize, responseDeserialize } = this.method(name);
    return this.client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  }

  close(): void {
    this.client.close();
  }

  private method(name: string): grpc.MethodDefinition<unknown, unknown> {
    const method = this.methods[name];
    if (method === undefined) throw new Error(`no method ${name}`);
    return method;
  }
}
