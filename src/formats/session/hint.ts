/** Tells hosts of a request's session: `docs/routing.md#sessions`. */
import { createHmac } from 'node:crypto';
import type { Endpoint, Format, Provider } from '../../catalog/types.js';
import { isText } from '../client-text.js';
import type { JsonObject } from '../json.js';
import { allowedAt } from '../shared-capacity/shapes-of-hosts.js';
import { hintAt, maxCacheKey, type SessionHint, takesSessionId } from './host-hints.js';

/** A request as it is about to be sent. */
interface HintedCall {
  readonly format: Format;
  readonly body: JsonObject;
  readonly endpoint: Endpoint;
  readonly provider: Provider;
  readonly sessionHint?: SessionHint;
}

interface Asker {
  readonly accountId: string;
  /** Whether the host is called with the account's own credential. */
  readonly isByok: boolean;
  /** The client's name for the conversation; null = none. */
  readonly session: string | null;
}

/**
 * What a host is told instead of a name, which may be that of a person or a path: it tells nothing, and is the same for the same
 * name of the same account only. 43 characters that any header and member takes.
 */
function sessionToken(accountId: string, name: string): string {
  return createHmac('sha256', accountId).update(name).digest('base64url');
}

/**
 * The call without the member `session_id`, which is for the gateway: nothing is missing then. With the account's own credential
 * it is sent to hosts that may have it too, over shared capacity to endpoints whose operator has named it.
 */
export function withoutSessionId<Call extends HintedCall>(call: Call, isByok: boolean): Call {
  const { endpoint, provider } = call;
  if (call.body.session_id === undefined) return call;
  const { session_id, ...body } = call.body;
  const isTaken = isByok ? takesSessionId(provider) : allowedAt(endpoint).has('session_id');
  return isTaken ? call : { ...call, body };
}

/**
 * The call with what its host is told of the session. The client's own `prompt_cache_key` stays as it is with the account's own
 * credential, unless it is longer than the host takes; over shared capacity it is a token too, since a key that two accounts
 * had in common would lead both to the same cache.
 */
export function withSession<Call extends HintedCall>(
  call: Call,
  { accountId, isByok, session }: Asker,
  changed: (member: string) => void,
): Call {
  const { endpoint, provider, format } = call;
  const hint =
    session === null ? undefined : hintAt(endpoint, provider, format, () => sessionToken(accountId, session));
  const { body } = call;
  const key = body.prompt_cache_key;
  const isKept = !isText(key) || (isByok && key.length <= maxCacheKey(provider));
  if (hint === undefined && isKept) return call;
  if (!isKept) changed('prompt_cache_key');
  return {
    ...call,
    body: isKept ? body : { ...body, prompt_cache_key: sessionToken(accountId, key) },
    ...(hint !== undefined && { sessionHint: hint }),
  };
}

/** The `prompt_cache_key` that a host is told where the client has set none; undefined without. */
export function sessionKeyOf({
  body,
  sessionHint,
}: Pick<HintedCall, 'body' | 'sessionHint'>): string | undefined {
  return isText(body.prompt_cache_key) ? undefined : sessionHint?.promptCacheKey;
}
