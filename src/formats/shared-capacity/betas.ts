/**
 * Anthropic's beta features that cost nothing but tokens and reach no other data, without their dates. They include
 * those of Claude Code. Sources: `docs/providers/anthropic.md#sources`.
 */
import type { ApiHeaders } from '../api-headers.js';
import type { JsonObject } from '../chat/types.js';
import { elements, textOf } from '../json.js';
import { betasIn, withBetas } from '../messages/headers.js';
import { isNamed, type LeftOut } from './left-out.js';
import { MESSAGES_IN_MODES, MESSAGES_REQUEST } from './messages-members.js';
import type { ShapedMembers } from './shape.js';

const PRICED: ReadonlySet<string> = new Set([
  'advanced-tool-use',
  'claude-code',
  'computer-use',
  'context-1m',
  'context-management',
  'effort',
  'extended-cache-ttl',
  // Costs something with `speed` alone, which is judged by itself.
  'fast-mode',
  'fine-grained-tool-streaming',
  'interleaved-thinking',
  'max-tokens-3-5-sonnet',
  'mid-conversation-system',
  'model-context-window-exceeded',
  'output-128k',
  'pdfs',
  'per-turn-control',
  'prompt-caching',
  'prompt-caching-scope',
  'redact-thinking',
  'structured-outputs',
  'task-budgets',
  'token-counting',
  'token-efficient-tools',
  'tool-examples',
  'tool-search-tool',
  'web-search',
]);

/** Where beta features are named: in headers, and in the member `betas` of a chat. */
interface Naming {
  readonly body: JsonObject;
  readonly apiHeaders?: ApiHeaders;
}

const OF_MESSAGES: readonly ShapedMembers[] = [MESSAGES_REQUEST, MESSAGES_IN_MODES];

/** Whether the request names beta features and goes to a host that knows them, as its shape shows. */
export function namesBetas({ body, apiHeaders }: Naming, shape: ShapedMembers): boolean {
  const isKnown = OF_MESSAGES.includes(shape) || shape.members.has('betas');
  return isKnown && (betasIn(apiHeaders).length > 0 || body.betas !== undefined);
}

/** The headers with only those beta features that may be used over shared capacity. */
export function headersWithPricedBetas(
  headers: ApiHeaders | undefined,
  admitted: ReadonlySet<string>,
  leftOut: LeftOut,
): ApiHeaders {
  return withBetas(headers, pricedBetas(betasIn(headers), admitted, leftOut));
}

/** The body with only those beta features that may be used over shared capacity, in its member `betas`. */
export function bodyWithPricedBetas<Body extends JsonObject>(
  body: Body,
  admitted: ReadonlySet<string>,
  leftOut: LeftOut,
): Body {
  if (body.betas === undefined) return body;
  const named = elements(body.betas).flatMap((beta) => textOf(beta) ?? []);
  return { ...body, betas: pricedBetas(named, admitted, leftOut) };
}

/** Returns the features that may be used, and adds the others to `leftOut`. */
function pricedBetas(
  betas: readonly string[],
  admitted: ReadonlySet<string>,
  leftOut: LeftOut,
): readonly string[] {
  return betas.filter((beta) => {
    const isPriced = isNamed(PRICED, beta) || admitted.has(beta);
    if (!isPriced) leftOut.add(`anthropic-beta:${beta}`);
    return isPriced;
  });
}
