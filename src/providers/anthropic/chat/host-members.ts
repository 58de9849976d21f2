/** Members of the Messages API's own in a chat: they pass as they are, over whatever is translated. */
import { distinctTexts } from '../../../base/text.js';
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { MAX_WEB_SEARCHES } from '../../../formats/host-work-kinds.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import type { Thinking } from './thinking.js';

/** Members of `MessageCreateParams`, with those of the beta API, that no member of a chat is translated to. */
const HOST_MEMBERS = [
  'container',
  'context_management',
  'diagnostics',
  'fallbacks',
  'inference_geo',
  'mcp_servers',
  'speed',
  'stop_sequences',
] as const;

/** Those that the request has, and its `metadata` where it is Anthropic's. */
export function hostMembers(body: ChatBody): JsonObject {
  const given = HOST_MEMBERS.filter((name) => body[name] !== undefined && body[name] !== null);
  const userId = textOf(members(body.metadata).user_id);
  return {
    ...Object.fromEntries(given.map((name) => [name, body[name]])),
    ...(userId !== undefined && { metadata: { user_id: userId } }),
  };
}

/** The members of the request's own `output_config`, such as `task_budget`. */
export function hostOutputConfig({ output_config }: ChatBody): JsonObject {
  return members(output_config);
}

/** The `thinking` of the request itself, which takes the place of what its reasoning asks for. */
export function hostThinking({ thinking }: ChatBody): Thinking | undefined {
  return isObject(thinking) ? { isOn: thinking.type !== 'disabled', config: thinking } : undefined;
}

/** Names of beta features: those of the client's header and of the member `betas`, each once. */
export function betasOf({ betas: named }: ChatBody, betas: readonly string[] = []): readonly string[] {
  return distinctTexts([...betas, ...elements(named).flatMap((name) => textOf(name) ?? [])]);
}

/** A tool for `web_search_options`, OpenAI's way to let a model search. */
export function webSearchTool({ web_search_options }: ChatBody): JsonObject[] {
  if (!isObject(web_search_options)) return [];
  const place = members(members(web_search_options.user_location).approximate);
  const isPlaced = Object.keys(place).length > 0;
  return [
    {
      type: 'web_search_20250305',
      name: 'web_search',
      max_uses: MAX_WEB_SEARCHES,
      ...(isPlaced && { user_location: { type: 'approximate', ...place } }),
    },
  ];
}
