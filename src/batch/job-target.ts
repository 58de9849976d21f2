import type { Batch } from './batch.js';
import type { BatchDependencies } from './dependencies.js';
import { JobCallFailure } from './failure.js';
import type { JobTarget } from './ports.js';

type TargetedBatch = Pick<Batch, 'payer' | 'byokKeyId' | 'provider' | 'region' | 'stage'>;

/**
 * The target of a batch's job, with the key's current credential. Throws `JobCallFailure`: `missing` when the key has
 * been deleted, `denied` when it can't be used at the moment, or is disabled and the job is not created yet.
 */
export async function jobTargetOf(
  { byok, credentials, catalogs }: Pick<BatchDependencies, 'byok' | 'credentials' | 'catalogs'>,
  { payer, byokKeyId, provider: slug, region, stage }: TargetedBatch,
): Promise<JobTarget> {
  const stored = await byok.storedKey(payer.accountId, byokKeyId);
  if (stored === undefined) {
    throw new JobCallFailure('The BYOK key of the batch has been deleted', { kind: 'missing' });
  }
  if (stored.key.disabled && stage === 'staged') {
    throw new JobCallFailure('The BYOK key of the batch is disabled', { kind: 'denied' });
  }
  const provider = (await catalogs.current()).providers.get(slug);
  if (provider === undefined) {
    throw new JobCallFailure(`${slug} is no longer in the catalogue`, { kind: 'denied' });
  }
  const opened = credentials.open(stored, provider.adapter);
  if ('unusable' in opened || opened.credential.adapter !== 'google-vertex') {
    throw new JobCallFailure('The credential of the BYOK key cannot be used', { kind: 'denied' });
  }
  const hostHeaders = provider.headers && (await credentials.headersOf(provider).catch(throwUnusable));
  return {
    accountId: payer.accountId,
    provider,
    credential: opened.credential,
    ...(hostHeaders !== undefined && { hostHeaders }),
    region,
  };
}

function throwUnusable(cause: unknown): never {
  throw new JobCallFailure('A header of the provider cannot be opened', { kind: 'denied', cause });
}
