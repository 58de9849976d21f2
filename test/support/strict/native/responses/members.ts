/** What OpenAI refuses of the members of a request, and of its tools. */
import type { Rule } from '../rule.js';
import { list, record, records, words } from '../values.js';
import { first, itemsOf, rule, tooLong, toolsOf } from './rule.js';

/** `ResponseCreateParamsBase` of the package `openai` 6.49, and what Codex sends to it. */
const MEMBERS = words(`background client_metadata context_management conversation include input instructions
  max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt
  prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream
  stream_options temperature text tool_choice tools top_logprobs top_p truncation user`);

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export const MEMBER_RULES: readonly Rule[] = [
  rule(
    {
      refuses: 'members that it does not have',
      source: 'npm openai 6.49.0 ResponseCreateParamsBase',
      sure: 'typed',
    },
    (body) => {
      const unknown = Object.keys(body).find((name) => !MEMBERS.has(name));
      return unknown && `Unknown parameter: '${unknown}'.`;
    },
  ),
  rule(
    {
      refuses: 'requests without a model',
      source: 'npm openai 6.49.0 ResponseCreateParamsBase.model',
      sure: 'typed',
    },
    ({ model }) => (typeof model === 'string' ? undefined : "Missing required parameter: 'model'."),
  ),
  rule(
    {
      refuses: 'requests that do not say that nothing is stored',
      source: 'https://developers.openai.com/api/docs/guides/your-data',
      sure: 'documented',
    },
    ({ store }) =>
      store === false ? undefined : 'This organization has no data retention: set store to false.',
  ),
  rule(
    {
      refuses: 'stream options that it does not have',
      source: 'https://github.com/BigPizzaV3/CodexPlusPlus/issues/234',
      sure: 'reported',
    },
    ({ stream_options }) => {
      const unknown = Object.keys(record(stream_options)).find((name) => name !== 'include_obfuscation');
      return unknown && `Unknown parameter: 'stream_options.${unknown}'.`;
    },
  ),
  rule(
    {
      refuses: 'stream options without a stream',
      source: 'npm openai 6.49.0 ResponseCreateParamsBase.stream_options',
      sure: 'typed',
    },
    ({ stream_options, stream }) =>
      stream_options != null && stream !== true
        ? "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        : undefined,
  ),
  rule(
    {
      refuses: 'keys of caches and of users of more than 64 characters',
      source: 'npm openai 6.49.0 ResponseCreateParamsBase.safety_identifier',
      sure: 'typed',
    },
    ({ prompt_cache_key, safety_identifier }) =>
      tooLong('prompt_cache_key', 64, prompt_cache_key) ??
      tooLong('safety_identifier', 64, safety_identifier),
  ),
  rule(
    {
      refuses: 'a choice among no tools',
      source: 'https://github.com/router-for-me/CLIProxyAPI/issues/3704',
      sure: 'assumed',
    },
    ({ tools, tool_choice }) =>
      list(tools).length === 0 && tool_choice != null && tool_choice !== 'auto' && tool_choice !== 'none'
        ? 'A tool_choice was set on the request but no tools were specified.'
        : undefined,
  ),
  rule(
    {
      refuses: 'the choice of a function that is not there',
      source: 'npm openai 6.49.0 ToolChoiceFunction.name',
      sure: 'typed',
    },
    ({ tools, tool_choice }) => {
      const { type, name } = record(tool_choice);
      if (type !== 'function' && type !== 'custom') return undefined;
      return records(tools).some((tool) => tool.type === type && tool.name === name)
        ? undefined
        : `Tool choice '${name}' not found in 'tools' parameter.`;
    },
  ),
  rule(
    {
      refuses: 'names of tools with other characters, or of more than 64',
      source: 'https://github.com/vercel/ai/issues/1972',
      sure: 'assumed',
    },
    (body) =>
      first([
        ...records(body.tools).map((tool, at) => () => badName(tool, `tools[${at}].name`)),
        ...itemsOf(body).map(
          ({ at, item }) =>
            () =>
              badName(item, `${at}.name`),
        ),
      ]),
  ),
  rule(
    {
      refuses: 'more than 128 tools',
      source: 'https://github.com/vishalmysore/Tools4AI/issues/16',
      sure: 'assumed',
    },
    ({ tools }) => {
      const { length } = list(tools);
      return length > 128
        ? `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${length} instead.`
        : undefined;
    },
  ),
  rule(
    {
      refuses: 'parameters that are no object, or a union at their root',
      source: 'https://github.com/Dicklesworthstone/flywheel_connectors/issues/49',
      sure: 'reported',
    },
    (body) =>
      first(
        toolsOf(body).map(({ at, tool }) => () => {
          const { parameters } = tool;
          if (tool.type !== 'function' || parameters == null) return undefined;
          const { type, anyOf, oneOf, allOf } = record(parameters);
          const isUnion = anyOf !== undefined || oneOf !== undefined || allOf !== undefined;
          return type === 'object' && !isUnion
            ? undefined
            : `Invalid schema for function '${tool.name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level. (${at}.parameters)`;
        }),
      ),
  ),
  rule(
    {
      refuses: 'namespaces without a description',
      source: 'https://github.com/openai/codex/issues/37952',
      sure: 'reported',
    },
    (body) =>
      first(
        toolsOf(body).map(
          ({ at, tool }) =>
            () =>
              tool.type === 'namespace' && tool.description == null
                ? `Missing required parameter: '${at}.description'.`
                : undefined,
        ),
      ),
  ),
  rule(
    {
      refuses: 'JSON where the input does not speak of it',
      source: 'https://github.com/miracodeai/mira/pull/267',
      sure: 'reported',
    },
    ({ text, input }) =>
      record(record(text).format).type === 'json_object' && !/json/i.test(JSON.stringify(input ?? ''))
        ? "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'."
        : undefined,
  ),
  rule(
    {
      refuses: 'what needs a stored response',
      source: 'https://developers.openai.com/api/docs/guides/conversation-state',
      sure: 'documented',
    },
    ({ previous_response_id, conversation, background }) =>
      previous_response_id != null || conversation != null || background === true
        ? "Previous response with id 'resp_1' not found."
        : undefined,
  ),
];

function badName({ type, name }: Readonly<Record<string, unknown>>, path: string): string | undefined {
  const isNamed = ['function', 'custom', 'function_call', 'custom_tool_call'].includes(String(type));
  return !isNamed || NAME.test(String(name))
    ? undefined
    : `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
}
