import { Code, ConnectError } from '@connectrpc/connect';
import * as grpc from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ByokService } from '../../gen/byway/v1/byok_pb.js';
import { KeyService } from '../../gen/byway/v1/keys_pb.js';
import { Health } from '../../gen/grpc/health/v1/health_pb.js';
import { grpcHealth, type Readiness } from '../../src/server/health/grpc-health.js';
import { GrpcPeer, type GrpcTransport, openGrpcTransport } from './grpc-transport.js';

const PROTO = 'grpc-health-check/proto/health/v1/health.proto';

describe('gRPC health checking', () => {
  let transport: GrpcTransport;
  let peer: GrpcPeer;
  let readiness: FakeReadiness;
  let shutdown: AbortController;

  beforeEach(async () => {
    readiness = new FakeReadiness();
    shutdown = new AbortController();
    const health = grpcHealth([KeyService, ByokService], readiness);
    transport = await openGrpcTransport((router) =>
      router.service(Health, health, { shutdownSignal: shutdown.signal }),
    );
    peer = new GrpcPeer(transport.address, PROTO, 'grpc.health.v1.Health');
  });

  afterEach(async () => {
    shutdown.abort();
    peer.close();
    await transport.close();
  });

  it.each(['', 'byway.v1.KeyService', 'byway.v1.ByokService'])(
    'Check of %j follows readiness',
    async (service) => {
      expect(await peer.unary('Check', { service })).toEqual({ status: 'SERVING' });
      readiness.set(false);
      expect(await peer.unary('Check', { service })).toEqual({ status: 'NOT_SERVING' });
    },
  );

  it('Check of an unknown service is not_found', async () => {
    const failed = peer.unary('Check', { service: 'byway.v1.Nothing' });
    await expect(failed).rejects.toMatchObject({ code: grpc.status.NOT_FOUND });
  });

  it('List names every service with its status', async () => {
    readiness.set(false);
    expect(await peer.unary('List', {})).toEqual({
      statuses: {
        '': { status: 'NOT_SERVING' },
        'byway.v1.KeyService': { status: 'NOT_SERVING' },
        'byway.v1.ByokService': { status: 'NOT_SERVING' },
      },
    });
  });

  it('Watch sends the status at once and then every change, each once', async () => {
    const statuses = watch('byway.v1.KeyService');
    expect((await statuses.next()).value).toEqual({ status: 'SERVING' });
    readiness.set(false);
    expect((await statuses.next()).value).toEqual({ status: 'NOT_SERVING' });
    readiness.set(false);
    readiness.set(true);
    expect((await statuses.next()).value).toEqual({ status: 'SERVING' });
    statuses.cancel();
  });

  it('Watch of an unknown service says so and stays open', async () => {
    const unknown = watch('byway.v1.Nothing');
    expect((await unknown.next()).value).toEqual({ status: 'SERVICE_UNKNOWN' });
    const further = unknown.next();
    readiness.set(false);
    const known = watch('');
    expect((await known.next()).value).toEqual({ status: 'NOT_SERVING' });
    shutdown.abort(new ConnectError('shutting down', Code.Unavailable));
    await expect(further).rejects.toMatchObject({ code: grpc.status.UNAVAILABLE });
    await expect(known.next()).rejects.toMatchObject({ code: grpc.status.UNAVAILABLE });
  });

  it('a watch that its caller leaves is no longer subscribed', async () => {
    const statuses = watch('');
    await statuses.next();
    expect(readiness.listeners.size).toBe(1);
    statuses.cancel();
    await expect.poll(() => readiness.listeners.size).toBe(0);
  });

  it('the shutdown of the server ends an open watch, after its last status', async () => {
    const statuses = watch('');
    expect((await statuses.next()).value).toEqual({ status: 'SERVING' });
    readiness.set(false);
    shutdown.abort(new ConnectError('shutting down', Code.Unavailable));
    expect((await statuses.next()).value).toEqual({ status: 'NOT_SERVING' });
    await expect(statuses.next()).rejects.toMatchObject({ code: grpc.status.UNAVAILABLE });
    expect(readiness.listeners.size).toBe(0);
  });

  function watch(service: string): { next(): Promise<IteratorResult<unknown>>; cancel(): void } {
    const stream = peer.serverStream('Watch', { service });
    const statuses = stream[Symbol.asyncIterator]();
    return { next: () => statuses.next(), cancel: () => stream.cancel() };
  }
});

class FakeReadiness implements Readiness {
  readonly listeners = new Set<() => void>();
  private ready = true;

  async isReady(): Promise<boolean> {
    return this.ready;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  set(ready: boolean): void {
    this.ready = ready;
    for (const listener of this.listeners) listener();
  }
}
