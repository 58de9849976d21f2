import type { ChatBody } from '../../formats/chat/types.js';
import type { HostWork } from '../../formats/host-work.js';
import { withoutWork } from '../../formats/shared-capacity/work.js';
import type { SentRequest } from '../ports/inference-request.js';

/**
 * The request without the gateway's own members, except the chat's `model`, which each attempt replaces. Whether it is
 * streamed depends on the adapter's method instead. A chat never has work that may be left out.
 */
export function upstreamRequest(
  sent: SentRequest,
  isStreamed: boolean,
  leftOutWork: readonly HostWork[] = [],
): SentRequest {
  const chat = upstreamBody(sent.chat, isStreamed);
  if (sent.format === 'chat' || leftOutWork.length === 0) return { ...sent, chat };
  const leftOut = leftOutWork.map(({ type }) => `tools.${type}`);
  return { ...sent, chat, body: withoutWork(sent.body, leftOutWork), leftOut };
}

function upstreamBody(body: ChatBody, isStreamed: boolean): ChatBody {
  const { models, provider, cache, stream, stream_options, ...rest } = body;
  return isStreamed && stream_options !== undefined ? Object.assign(rest, { stream_options }) : rest;
}
