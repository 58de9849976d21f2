import type { ChatBody } from '../../formats/chat/types.js';

/**
 * The request without the gateway's own members but `model`, which each attempt replaces. Whether it is streamed depends on
 * the adapter's method instead.
 */
export function upstreamBody(body: ChatBody, isStreamed: boolean): ChatBody {
  const { models, provider, stream, stream_options, ...rest } = body;
  return isStreamed && stream_options !== undefined ? Object.assign(rest, { stream_options }) : rest;
}
