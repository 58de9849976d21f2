/** The Messages API's own members in a chat. They are passed on as they are, and override whatever is translated. */
import { distinctTexts } from '../../../base/text.js';
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { MAX_WEB_SEARCHES } from '../../../formats/host-work-kinds.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import type { Thinking } from './thinking.js';

/** Members of `MessageCreateParams`, including the beta API's, that no member of a chat is translated to. */
export const HOST_MEMBERS = [
  'container',
  'context_management',
  'diagnostics',
  'fallbacks',
  'inference_geo',
  'mcp_servers',
  'speed',
  'stop_sequences',
] as const;

/** The host's own members in the request, and its `metadata` if that is Anthropic's. */
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

/** The request's own `thinking`, which replaces what its reasoning members ask for. */
export function hostThinking({ thinking }: ChatBody): Thinking | undefined {
  return isObject(thinking) ? { isOn: thinking.type !== 'disabled', config: thinking } : undefined;
}

/** The beta features in the client's header and in the member `betas`, each once. */
export function betasOf({ betas: named }: ChatBody, betas: readonly string[] = []): readonly string[] {
  return distinctTexts([...betas, ...elements(named).flatMap((name) => textOf(name) ?? [])]);
}

/** A tool for `web_search_options`, which is OpenAI's way to let a model search. */
export function webSearchTool({ web_search_options }: ChatBody): JsonObject[] {
  if (!isObject(web_search_options)) return [];
  const location = members(members(web_search_options.user_location).approximate);
  const isLocated = Object.keys(location).length > 0;
  return [
    {
      type: 'web_search_20250305',
      name: 'web_search',
      max_uses: MAX_WEB_SEARCHES,
      ...(isLocated && { user_location: { type: 'approximate', ...location } }),
    },
  ];
}
