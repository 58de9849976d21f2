import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import type { Principal } from '../keys/principal.js';

/** Who calls, and through what. Every door decides it before a service is reached. */
export interface Caller {
  readonly principal: Principal;
  /** The region of the host that the request was made to; `global` on the ordinary host. */
  readonly region: string;
  /** Identifies the request in logs and records. */
  readonly requestId: string;
  /** Root of absolute URLs in answers, without a slash at its end. */
  readonly baseUrl: string;
}

/** The caller of a call nobody vouched for. */
export const NOBODY: Caller = {
  principal: { kind: 'anonymous' },
  region: 'global',
  requestId: '',
  baseUrl: '',
};

/** Where a call's context carries its caller. */
export const callerKey = createContextKey<Caller>(NOBODY, { description: 'caller' });

/** The caller of the call. */
export function callerOf(context: HandlerContext): Caller {
  return context.values.get(callerKey);
}
