import type { Interceptor } from '@connectrpc/connect';
import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import type { Batches } from '../batch/batches.js';
import type { CredentialCache } from '../byok/cache/credential-cache.js';
import type { LoadedMasterKeys } from '../byok/vault/master-key-settings.js';
import type { Apis } from '../http/api-conventions.js';
import type { Authenticator } from '../identity/authenticate.js';
import type { FailedAttempts } from '../identity/failed-attempts.js';
import type { RateLimiter } from '../identity/rate-limit.js';
import type { Upstream } from '../providers/index.js';
import type { RouterDependencies } from '../routing/router/router.js';
import type { ServiceDefinition } from '../rpc/define-service.js';
import type { FailureLog } from '../rpc/errors.js';
import type { InProcessTransport } from '../rpc/in-process-transport.js';
import type { Family } from '../server/metrics/families.js';
import type { Database } from '../store/database/database.js';
import type { Retention } from '../store/retention/retention.js';
import type { Stores } from '../store/stores.js';

/** What tests replace. */
export interface Surroundings {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: FailureLog & { warn(fields: object, message: string): void };
  readonly upstream: Upstream;
  /** Limits how many unknown credentials an address may send; the default limit when left out. */
  readonly failedAttempts?: FailedAttempts;
}

/** The gateway without its server, for the server and for commands. */
export interface Gateway {
  readonly database: Database;
  readonly stores: Stores;
  readonly masterKeys: LoadedMasterKeys;
  /** Whether accounts pay. */
  readonly isBilled: boolean;
  readonly authenticator: Authenticator;
  /** null = management calls are not limited. */
  readonly rateLimiter: RateLimiter | null;
  readonly router: RouterDependencies;
  readonly credentials: Pick<CredentialCache, 'shared' | 'sharedByProvider' | 'headersOf'>;
  readonly adapters: Upstream['adapters'];
  /** Batches are polled only after `start`. */
  readonly batches: Pick<Batches, 'start'>;
  /** Old rows are dropped only after `start`. */
  readonly retention: Pick<Retention, 'start'>;
  readonly services: readonly ServiceDefinition[];
  readonly interceptors: readonly Interceptor[];
  /** Which APIs of other vendors are served. */
  readonly apis: Apis;
  /** Metrics of chats and batches. */
  readonly metrics: readonly Family[];
  readonly transport: InProcessTransport;
  /** Loads modules that the start can do without but the first requests need. */
  warmUp(): Promise<void>;
  /**
   * Ends everything in flight with `shutting_down`: inference, exports and results that are being read. Chats are
   * recorded once `close` has resolved.
   */
  cutOff(): void;
  /** Waits until all chats in flight are recorded, then closes everything. Does not end any chat. */
  close(): Promise<void>;
}
