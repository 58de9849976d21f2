/**
 * OpenAI's errors, in its own words: statuses as in https://platform.openai.com/docs/guides/error-codes, unknown members
 * as in https://github.com/coroot/coroot/issues/698, `stream_options` as in
 * https://github.com/BerriAI/litellm/issues/5803. Members of requests and messages are those of the package `openai`
 * (`ChatCompletionCreateParams`).
 */
import type { IncomingMessage } from 'node:http';
import type { ChatCall } from './plan.js';
import { reasoningModelRefusal } from './reasoning-models.js';

/** An error response; undefined for a valid request. */
export interface FakeError {
  readonly status: number;
  readonly body: object;
}

const PARAMETERS: ReadonlySet<string> = new Set(
  `audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages
   metadata modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key reasoning_effort
   response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools
   top_logprobs top_p user verbosity web_search_options`.split(/\s+/),
);

const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(
  'role content name refusal audio tool_calls tool_call_id function_call'.split(' '),
);

/** Checks a request like OpenAI: path and method, credential, form, members. */
export function refusalOf(request: IncomingMessage, apiKey: string, text: string): FakeError | undefined {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    return error(404, `Invalid URL (${request.method} ${request.url})`, null);
  }
  if (request.headers.authorization === undefined) {
    return error(401, "You didn't provide an API key.", null);
  }
  if (request.headers.authorization !== `Bearer ${apiKey}`) {
    return error(401, 'Incorrect API key provided: sk-wr***ong.', 'invalid_api_key');
  }
  const call = parse(text);
  return bodyRefusal(text) ?? modelRefusal(text) ?? reasoningModelRefusal(call?.model ?? '', call ?? {});
}

/** Checks a body's form and members. */
export function bodyRefusal(text: string): FakeError | undefined {
  const body = parse(text);
  if (body === undefined) return error(400, 'We could not parse the JSON body of your request.', null);
  const unknown = Object.keys(body).find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) return unknownArgument(unknown);
  if (body.messages === undefined) return error(400, "Missing required parameter: 'messages'.", 'missing');
  const stranger = (body.messages ?? []).flatMap((message, index) =>
    Object.keys(message)
      .filter((name) => !MESSAGE_MEMBERS.has(name))
      .map((name) => `messages[${index}].${name}`),
  )[0];
  if (stranger !== undefined) return error(400, `Unknown parameter: '${stranger}'.`, 'unknown_parameter');
  if (body.stream_options !== undefined && body.stream !== true) {
    return error(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.", null);
  }
  return undefined;
}

/** The error for an unknown member. */
export function unknownArgument(name: string): FakeError {
  return error(400, `Unrecognized request argument supplied: ${name}`, null);
}

function modelRefusal(text: string): FakeError | undefined {
  if (parse(text)?.model !== 'no-such-model') return undefined;
  return error(404, 'The model `no-such-model` does not exist.', 'model_not_found');
}

function parse(text: string): ChatCall | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function error(status: number, message: string, code: string | null): FakeError {
  return { status, body: { error: { message, type: 'invalid_request_error', param: null, code } } };
}
