import type { ChatBody } from '../../formats/chat/types.js';
import type { SentRequest } from '../ports/inference-request.js';

/**
 * The request without the gateway's own members, except the chat's `model`, which each attempt replaces. Whether it is
 * streamed depends on the adapter's method instead.
 */
export function upstreamRequest(sent: SentRequest, isStreamed: boolean): SentRequest {
  return { ...sent, chat: upstreamBody(sent.chat, isStreamed) };
}

function upstreamBody(body: ChatBody, isStreamed: boolean): ChatBody {
  const { models, provider, stream, stream_options, ...rest } = body;
  return isStreamed && stream_options !== undefined ? Object.assign(rest, { stream_options }) : rest;
}
