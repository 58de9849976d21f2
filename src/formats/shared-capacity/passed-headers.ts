import type { NativeFormat } from '../../catalog/types.js';
import type { ApiHeaders, PassedHeader } from '../api-headers.js';
import { MESSAGES_HEADERS } from '../messages/headers.js';
import { openHeadersIn } from './open-headers.js';

/** By the API that they belong to; a request of any may have them. */
const PASSED: Readonly<Record<NativeFormat, readonly PassedHeader[]>> = {
  messages: MESSAGES_HEADERS,
  responses: [],
  completions: [],
  embeddings: [],
  rerank: [],
};

const HEADERS = Object.values(PASSED).flat();

/** The headers of other APIs than that of chats that a host may be told, also those that nobody here knows; undefined without any. */
export function apiHeadersIn(headers: Headers): ApiHeaders | undefined {
  let found: Record<string, readonly string[]> | undefined;
  for (const { name, value, maxValues } of HEADERS) {
    const sent = headers.get(name);
    if (sent === null) continue;
    const all = maxValues === 1 ? [sent] : sent.split(',', maxValues).map((one) => one.trim());
    const known = all.filter((one) => value.test(one));
    if (known.length === 0) continue;
    found ??= {};
    found[name] = known;
  }
  const open = openHeadersIn(headers);
  return open === undefined ? found : { ...open, ...found };
}
