/**
 * Decides what the caller is told about a failed attempt. With an own key that is everything, with a word on whose key
 * it is; on shared capacity nothing that only the operator may know. See
 * `docs/routing.md#refused-keys-and-empty-accounts`.
 */
import type { Attempt } from '../../routing/types.js';
import { explained, isUnconnected, UNREACHABLE, UpstreamFailure } from '../ports/failure.js';

/** Whether the provider refuses the credential's account, not the request. */
export function isAccountRefused({ kind, error }: UpstreamFailure): boolean {
  return kind === 'quota' || (kind === 'auth' && error !== 'credential');
}

/** The failure as the caller may see it. */
export function toldFailure(failure: UpstreamFailure, attempt: Attempt): UpstreamFailure {
  if (attempt.key !== null) {
    if (failure.network !== null) return retold(failure, explained(failure));
    return isAccountRefused(failure) ? ofOwnKey(failure, attempt, attempt.key) : failure;
  }
  if (isUnconnected(failure)) return retold(failure, UNREACHABLE, { error: 'connect' });
  return hidesWords(failure) ? retold(failure, sharedMessage(failure, attempt)) : failure;
}

/** Statuses whose messages are about the operator's account. */
const ACCOUNT_STATUSES: readonly (number | null)[] = [401, 402, 403, 429];

function hidesWords(failure: UpstreamFailure): boolean {
  const { kind, status } = failure;
  if (kind === 'content_filter' || kind === 'invalid_request' || kind === 'cancelled') return false;
  return isAccountRefused(failure) || ACCOUNT_STATUSES.includes(status);
}

function sharedMessage({ kind, error }: UpstreamFailure, { provider: { name } }: Attempt): string {
  if (error === 'credential') return `The gateway's own key for ${name} can't be used: tell its operator`;
  if (kind === 'auth') return `The gateway's own key for ${name} was refused: tell its operator`;
  if (kind === 'quota')
    return `The gateway's own account at ${name} has no balance or quota left: tell its operator`;
  return `${name} is rate limiting this gateway`;
}

function ofOwnKey(
  failure: UpstreamFailure,
  { provider }: Attempt,
  { id, name, workspaceId }: NonNullable<Attempt['key']>,
): UpstreamFailure {
  const key = `the provider key ${name === null ? id : `"${name}" (${id})`} of workspace ${workspaceId}`;
  const status = failure.status === null ? '' : ` (status ${failure.status})`;
  const message = ownMessage(failure, provider.name, `${key}${status}`);
  return retold(failure, message, {
    told: {
      byok_key: { id, name, provider: provider.slug, workspace_id: workspaceId },
      provider_error: {
        ...(failure.providerError ?? { code: null, type: null, param: null }),
        message: failure.message,
      },
    },
  });
}

/** The credential is valid, but not for this. */
const FORBIDDEN = 403;

function ownMessage({ kind, status }: UpstreamFailure, provider: string, key: string): string {
  if (kind === 'quota')
    return `${provider} says that no balance or quota is left for ${key}: top up its account there, or raise its limit`;
  return status === FORBIDDEN
    ? `${provider} does not admit ${key}: look at its permissions and its account there`
    : `${provider} refused ${key}: replace that credential`;
}

/** The failure with this message and nothing else that the provider said. */
function retold(
  failure: UpstreamFailure,
  message: string,
  more: Partial<Pick<UpstreamFailure, 'error' | 'told'>> = {},
): UpstreamFailure {
  const { kind, status, retryAfterMs, isPenalised } = failure;
  const error = more.error ?? failure.error;
  return new UpstreamFailure(message, {
    ...{ kind, status, retryAfterMs, isPenalised, cause: failure },
    ...(error !== null && { error }),
    ...(more.told !== undefined && { told: more.told }),
  });
}
