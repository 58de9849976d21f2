import type { Interceptor } from '@connectrpc/connect';
import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import type { Batches } from '../batch/batches.js';
import type { LoadedMasterKeys } from '../byok/vault/master-key-settings.js';
import type { Authenticator } from '../identity/authenticate.js';
import type { FailedAttempts } from '../identity/failed-attempts.js';
import type { RateLimiter } from '../identity/rate-limit.js';
import type { Upstream } from '../providers/index.js';
import type { RouterDependencies } from '../routing/router.js';
import type { ServiceDefinition } from '../rpc/define-service.js';
import type { FailureLog } from '../rpc/errors.js';
import type { InProcessTransport } from '../rpc/in-process-transport.js';
import type { Family } from '../server/metrics/families.js';
import type { Database } from '../store/database.js';
import type { Stores } from '../store/stores.js';

/** What is the same in all processes and different in tests. */
export interface Surroundings {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: FailureLog;
  readonly upstream: Upstream;
  /** Limits how many credentials an address may guess; the usual limit when left out. */
  readonly failedAttempts?: FailedAttempts;
}

/** The gateway without its port: what the server serves and the command line works with. */
export interface Gateway {
  readonly database: Database;
  readonly stores: Stores;
  readonly masterKeys: LoadedMasterKeys;
  readonly authenticator: Authenticator;
  /** Null = administrative calls are not limited. */
  readonly rateLimiter: RateLimiter | null;
  readonly router: RouterDependencies;
  /** Batches are polled only after `start`. */
  readonly batches: Pick<Batches, 'start'>;
  readonly services: readonly ServiceDefinition[];
  readonly interceptors: readonly Interceptor[];
  /** Metrics of chats and batches. */
  readonly metrics: readonly Family[];
  /** Calls the services in process. */
  readonly transport: InProcessTransport;
  /** Waits until the chats in flight are recorded, then closes everything. It ends no chat. */
  close(): Promise<void>;
}
