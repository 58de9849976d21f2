import { elements, isObject, type JsonObject } from '../../json.js';
import type { ResponsesBody } from '../types.js';

/**
 * What a response says of its request. Clients demand all of these members, and of some that they are not null: those get
 * the API's defaults. https://www.openresponses.org/reference, 2026-11-25.
 */
export function givenBack(body: ResponsesBody): JsonObject {
  return {
    background: false,
    frequency_penalty: numberOr(body.frequency_penalty, 0),
    instructions: body.instructions ?? null,
    max_output_tokens: numberOr(body.max_output_tokens, null),
    max_tool_calls: numberOr(body.max_tool_calls, null),
    metadata: isObject(body.metadata) ? body.metadata : {},
    parallel_tool_calls: typeof body.parallel_tool_calls === 'boolean' ? body.parallel_tool_calls : true,
    presence_penalty: numberOr(body.presence_penalty, 0),
    previous_response_id: null,
    prompt_cache_key: textOr(body.prompt_cache_key, null),
    reasoning: reasoningIn(body.reasoning),
    safety_identifier: textOr(body.safety_identifier, null),
    service_tier: textOr(body.service_tier, 'default'),
    store: false,
    temperature: numberOr(body.temperature, 1),
    text: textSettings(body.text),
    tool_choice: toolChoice(body.tool_choice),
    tools: elements(body.tools).filter(isObject).map(wholeTool),
    top_logprobs: numberOr(body.top_logprobs, 0),
    top_p: numberOr(body.top_p, 1),
    truncation: textOr(body.truncation, 'disabled'),
    user: textOr(body.user, null),
  };
}

function numberOr<Default>(value: unknown, otherwise: Default): number | Default {
  return typeof value === 'number' ? value : otherwise;
}

function textOr<Default>(value: unknown, otherwise: Default): string | Default {
  return typeof value === 'string' ? value : otherwise;
}

function reasoningIn(reasoning: unknown): JsonObject {
  return { effort: null, summary: null, ...(isObject(reasoning) && reasoning) };
}

function textSettings(text: unknown): JsonObject {
  const { format, verbosity, ...others } = isObject(text) ? text : {};
  return {
    ...others,
    format: isObject(format) ? wholeFormat(format) : { type: 'text' },
    ...(typeof verbosity === 'string' && { verbosity }),
  };
}

function wholeFormat(format: JsonObject): JsonObject {
  if (format.type !== 'json_schema') return format;
  return { ...format, description: format.description ?? null, strict: format.strict === true };
}

function toolChoice(choice: unknown): unknown {
  if (isObject(choice)) return choice.type === 'allowed_tools' ? { mode: 'auto', ...choice } : choice;
  return textOr(choice, 'auto');
}

/** Tools are given back as they were sent, functions with what they lack. */
function wholeTool(tool: JsonObject): JsonObject {
  if (tool.type === 'namespace') {
    return { ...tool, tools: elements(tool.tools).map((one) => (isObject(one) ? wholeTool(one) : one)) };
  }
  return tool.type === 'function' ? { description: null, parameters: null, strict: null, ...tool } : tool;
}
