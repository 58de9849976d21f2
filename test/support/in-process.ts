import { type CallOptions, createContextValues } from '@connectrpc/connect';
import { systemClock } from '../../src/base/clock.js';
import { callerKey } from '../../src/rpc/caller.js';
import type { TestGateway } from './gateway.js';

/** Options of an in-process call that authenticate it by the secret; null = no caller. */
export async function callerOptions(
  { gateway, url }: TestGateway,
  secret: string | null,
): Promise<CallOptions> {
  const header = secret === null ? undefined : `Bearer ${secret}`;
  const principal = await gateway.authenticator.authenticate(header, systemClock.now());
  const caller = { principal, region: 'global', requestId: 'in-process', baseUrl: url };
  return { contextValues: createContextValues().set(callerKey, caller) };
}
