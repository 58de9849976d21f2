import type { DescService, MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import {
  type Health,
  type HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from '../../../gen/grpc/health/v1/health_pb.js';

/** Whether requests can be served now, and a subscription to changes. */
export interface Readiness {
  /** What a check within the last second has found. Settles within a second, and never rejects. */
  isReady(): Promise<boolean>;
  /** Calls `listener` within about two seconds of every change; returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
}

/**
 * gRPC health checking for the server as a whole, the name '', and for each of `services`:
 * all of them share one readiness. Check answers `not_found` for another name, Watch SERVICE_UNKNOWN. A watch
 * streams the status at once and then every change, until the caller or the call's signal ends it; mount it
 * with the `shutdownSignal` of the server, since an open watch never ends by itself.
 */
export function grpcHealth(
  services: readonly DescService[],
  readiness: Readiness,
): ServiceImpl<typeof Health> {
  const names = new Set(['', ...services.map((service) => service.typeName)]);
  const serving = async () => ((await readiness.isReady()) ? Status.SERVING : Status.NOT_SERVING);
  return {
    async check({ service }) {
      if (!names.has(service)) throw new ConnectError('unknown service', Code.NotFound);
      return { status: await serving() };
    },
    async list() {
      const status = await serving();
      return { statuses: Object.fromEntries([...names].map((name) => [name, { status }])) };
    },
    watch({ service }, { signal }) {
      return changes(readiness, signal, names.has(service) ? serving : async () => Status.SERVICE_UNKNOWN);
    },
  };
}

/** The status now and whenever it differs from the one sent last. Throws the signal's reason when that fires. */
async function* changes(
  readiness: Readiness,
  signal: AbortSignal,
  current: () => Promise<Status>,
): AsyncGenerator<MessageInitShape<typeof HealthCheckResponseSchema>> {
  let wake = () => {};
  const onWake = () => wake();
  const unsubscribe = readiness.onChange(onWake);
  signal.addEventListener('abort', onWake);
  try {
    for (let sent: Status | undefined; ; ) {
      // Armed before the status is read, so that no change falls between reading and waiting.
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const status = await current();
      if (status !== sent) yield { status };
      sent = status;
      signal.throwIfAborted();
      await woken;
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', onWake);
  }
}
