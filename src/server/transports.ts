import type { DescMethod, DescMethodUnary } from '@bufbuild/protobuf';
import { type ContextValues, createContextValues, type Interceptor } from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Health } from '../../gen/grpc/health/v1/health_pb.js';
import { bodyLimitBytes } from '../http/body.js';
import { ruleOf } from '../protobuf/method-rule.js';
import { type RestPluginOptions, restPlugin } from '../rest/rest-plugin.js';
import { callerKey } from '../rpc/caller.js';
import { defineService, type ServiceDefinition } from '../rpc/define-service.js';
import { createInProcessTransport, type InProcessTransport } from '../rpc/in-process-transport.js';
import { grpcHealth } from './health/grpc-health.js';
import type { ServerReadiness } from './health/readiness.js';
import { reflectionRoutes } from './rpc/reflection.js';
import { useReceived } from './rpc/stream-request-limit.js';
import { adaptHandlers, routeStreams } from './rpc/stream-routes.js';
import type { UnaryRoutesOptions } from './rpc/unary/options.js';
import { unaryRoutes } from './rpc/unary/routes.js';
import { explainDecodeErrors } from './rpc/wire/decode-errors.js';

interface TransportDependencies {
  readonly services: readonly ServiceDefinition[];
  readonly interceptors: readonly Interceptor[];
  readonly rest: Omit<RestPluginOptions, 'contextValues' | 'transport'> & {
    readonly transport: InProcessTransport;
  };
  readonly readiness: ServerReadiness;
  readonly streams: NonNullable<UnaryRoutesOptions['streams']>;
}

/** REST, and Connect, gRPC and gRPC-Web: unary methods by our own code, streams by Connect's; gRPC health and reflection. */
export async function registerTransports(
  server: FastifyInstance,
  { services, interceptors, rest, readiness, streams }: TransportDependencies,
): Promise<void> {
  const health = defineService(
    Health,
    grpcHealth(
      services.map(({ service }) => service),
      readiness,
    ),
  );
  await server.register(restPlugin, { ...rest, contextValues });
  await server.register(unaryRoutes, {
    methods: unaryMethods(services),
    transport: rest.transport,
    answers: rest.answers,
    limitOf,
    contextValues,
    streams,
  });
  await server.register(unaryRoutes, {
    methods: unaryMethods([health]),
    transport: createInProcessTransport([health], []),
    limitOf,
  });
  await server.register(fastifyConnectPlugin, {
    contextValues,
    interceptors: [explainDecodeErrors, useReceived, ...interceptors],
    routes: adaptHandlers((router) => routeStreams(router, services, { limitOf, isReadHere: true })),
  });
  await server.register(fastifyConnectPlugin, {
    shutdownSignal: readiness.shutdownSignal,
    binaryOptions: { readUnknownFields: false },
    routes: adaptHandlers((router) => {
      routeStreams(router, [health], { limitOf });
      reflectionRoutes([...services.map(({ service }) => service), Health])(router);
    }),
  });
}

function contextValues(request: Pick<FastifyRequest, 'caller'>): ContextValues {
  return createContextValues().set(callerKey, request.caller);
}

function unaryMethods(services: readonly ServiceDefinition[]): DescMethodUnary[] {
  const isUnary = (method: DescMethod): method is DescMethodUnary => method.methodKind === 'unary';
  return services.flatMap(({ service }) => service.methods.filter(isUnary));
}

function limitOf(method: DescMethod): number {
  return bodyLimitBytes(ruleOf(method).plane);
}
