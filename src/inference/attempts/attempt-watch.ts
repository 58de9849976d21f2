/**
 * Tells the operator about failing attempts that no caller can fix: in the log, and by marking BYOK keys that providers
 * refuse. Each is reported at most once a minute.
 */
import type { Clock } from '../../base/clock.js';
import { OncePer } from '../../base/memory/once-per.js';
import type { KeyRefusals } from '../../byok/key-refusals.js';
import type { Attempt } from '../../routing/types.js';
import { explained, type UpstreamFailure } from '../ports/failure.js';
import { isAccountRefused } from './told-failure.js';

export interface AttemptWatch {
  /** Called with everything that the provider said, before any of it is redacted for the caller. */
  failed(attempt: Attempt, failure: UpstreamFailure): void;
  served(attempt: Attempt): void;
}

export interface AttemptWatchDependencies {
  readonly log: { warn(fields: object, message: string): void };
  readonly keyRefusals: Pick<KeyRefusals, 'refused' | 'accepted'>;
  readonly clock: Clock;
}

/** How long nothing more is logged about an endpoint, separately for shared capacity and own keys. */
const QUIET_MS = 60_000;

/** Maximum of endpoints whose last log entry is remembered. */
const MAX_ENDPOINTS = 10_000;

export function createAttemptWatch({ log, keyRefusals, clock }: AttemptWatchDependencies): AttemptWatch {
  const logged = new OncePer(QUIET_MS, MAX_ENDPOINTS, clock);
  const isDue = ({ endpoint, key }: Attempt) =>
    logged.take(`${key === null ? 'shared' : 'byok'} ${endpoint.id}`);
  return {
    failed(attempt, failure) {
      const { key } = attempt;
      const isRefused = isAccountRefused(failure);
      if (isRefused && key !== null)
        keyRefusals.refused(key, { reason: reasonOf(failure), status: failure.status });
      const isForLog = failure.network !== null || (isRefused && key === null);
      if (isForLog && isDue(attempt)) log.warn(fieldsOf(attempt, failure), messageOf(failure));
    },
    served({ key }) {
      if (key !== null) keyRefusals.accepted(key);
    },
  };
}

function reasonOf({ kind }: UpstreamFailure): 'quota_exhausted' | 'credential_refused' {
  return kind === 'quota' ? 'quota_exhausted' : 'credential_refused';
}

function messageOf(failure: UpstreamFailure): string {
  if (failure.network !== null) return 'a provider cannot be reached';
  return failure.kind === 'quota'
    ? 'an account of shared capacity has no balance or quota left'
    : 'a provider refuses the key of shared capacity';
}

/** The cause of a network error contains addresses, which only the operator may see. */
function fieldsOf({ provider, endpoint, key }: Attempt, failure: UpstreamFailure): object {
  const { error, status, network, cause } = failure;
  return {
    ...{ provider: provider.slug, endpoint: endpoint.id, byok_key_id: key?.id ?? null },
    ...{ reason: error ?? failure.kind, code: network?.code ?? null, status, told: explained(failure) },
    advice: network?.advice ?? null,
    ...(cause instanceof Error && { cause: cause.message }),
  };
}
