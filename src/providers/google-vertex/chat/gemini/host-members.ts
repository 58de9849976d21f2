/**
 * Members of `generateContent` itself in a chat, in either of the spellings that Google accepts. They are passed on as
 * they are.
 */
import type { ChatBody, JsonObject } from '../../../../formats/chat/types.js';
import { members } from '../../../../formats/json.js';

/** Members that no member of a chat is translated to, by their name in snake_case. */
const HOST_MEMBERS: Readonly<Record<string, string>> = {
  safety_settings: 'safetySettings',
  labels: 'labels',
  cached_content: 'cachedContent',
};

export function hostMembers(body: ChatBody): JsonObject {
  const given = Object.entries(HOST_MEMBERS).map(
    ([snake, camel]) => [camel, body[camel] ?? body[snake]] as const,
  );
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null));
}

/** The request's own `generationConfig`. It takes precedence over other members that say the same. */
export function hostGenerationConfig(body: ChatBody): JsonObject {
  return members(body.generationConfig ?? body.generation_config);
}

/** Google's own tools (grounding, code execution, ...), by their name in snake_case. */
const TOOLS: Readonly<Record<string, string>> = {
  code_execution: 'codeExecution',
  computer_use: 'computerUse',
  enterprise_web_search: 'enterpriseWebSearch',
  google_maps: 'googleMaps',
  google_search: 'googleSearch',
  google_search_retrieval: 'googleSearchRetrieval',
  retrieval: 'retrieval',
  url_context: 'urlContext',
};

const CAMEL: ReadonlySet<string> = new Set(Object.values(TOOLS));

/**
 * A tool of Google's own: `{type: "google_search", google_search: {...}}`, in either spelling; undefined for any other.
 */
export function hostTool(tool: JsonObject): JsonObject | undefined {
  const names = [String(tool.type), ...Object.keys(tool)];
  const name = names.find((one) => CAMEL.has(one) || Object.hasOwn(TOOLS, one));
  return name === undefined ? undefined : { [TOOLS[name] ?? name]: members(tool[name]) };
}

/** Grounding for `web_search_options`, which is OpenAI's way to let a model search. */
export function webSearchTool({ web_search_options }: ChatBody): JsonObject[] {
  return typeof web_search_options === 'object' && web_search_options !== null ? [{ googleSearch: {} }] : [];
}
