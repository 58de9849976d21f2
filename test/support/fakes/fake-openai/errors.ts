/**
 * OpenAI's errors, in its own words: statuses as in https://platform.openai.com/docs/guides/error-codes; what it refuses of
 * a body says its judge in `test/support/strict`.
 */
import type { IncomingMessage } from 'node:http';
import { openAi } from '../../strict/hosts/openai.js';
import { RESPONSES } from '../../strict/native/responses.js';
import { type ResponsesHost, refusalBy as refusalByRules } from '../../strict/native/rule.js';
import { refusalOf as refusalBy, type StrictHost } from '../../strict/rule.js';
import type { ChatCall } from './plan.js';

/** An error response; undefined for a valid request. */
export interface FakeError {
  readonly status: number;
  readonly body: object;
}

/** Checks a request like OpenAI: path and method, credential, then the body. */
export function refusalOf(request: IncomingMessage, apiKey: string, text: string): FakeError | undefined {
  const judge = JUDGES[request.url ?? ''];
  if (request.method !== 'POST' || judge === undefined) {
    return error(404, `Invalid URL (${request.method} ${request.url})`, null);
  }
  if (request.headers.authorization === undefined) {
    return error(401, "You didn't provide an API key.", null);
  }
  if (request.headers.authorization !== `Bearer ${apiKey}`) {
    return error(401, 'Incorrect API key provided: sk-wr***ong.', 'invalid_api_key');
  }
  return judge(text) ?? modelRefusal(text);
}

/** By path. */
const JUDGES: Readonly<Record<string, (text: string) => FakeError | undefined>> = {
  '/v1/chat/completions': (text) => bodyRefusal(text, openAi),
  '/v1/responses': (text) => responsesRefusal(text, RESPONSES),
  '/v1/responses/input_tokens': (text) => countRefusal(text, RESPONSES),
};

/** Checks the body of a Responses request. */
export function responsesRefusal(text: string, host: ResponsesHost): FakeError | undefined {
  const body = parse(text);
  if (body === undefined) return error(400, 'We could not parse the JSON body of your request.', null);
  const refusal = refusalByRules(host, body, { isStreamed: body.stream === true });
  if (refusal === undefined) return undefined;
  const [, param = null] = /'((?:input|tools|text|reasoning|stream_options)?[\w.[\]]*)'/.exec(refusal) ?? [];
  const isUnsupported = refusal.startsWith('Unsupported parameter');
  return {
    status: 400,
    body: {
      error: {
        message: refusal,
        type: 'invalid_request_error',
        param,
        code: isUnsupported ? 'unsupported_parameter' : null,
      },
    },
  };
}

/** What a count has besides, it refuses: `InputTokenCountParams` of the package `openai` 6.49. */
function countRefusal(text: string, host: ResponsesHost): FakeError | undefined {
  const body = parse(text) ?? {};
  const unknown = Object.keys(body).find((name) => !COUNTED.has(name));
  if (unknown !== undefined) return error(400, `Unknown parameter: '${unknown}'.`, 'unknown_parameter');
  return responsesRefusal(JSON.stringify({ ...body, store: false }), host);
}

const COUNTED = new Set(
  ['conversation', 'input', 'instructions', 'model', 'parallel_tool_calls', 'personality'].concat([
    ...['previous_response_id', 'reasoning', 'text', 'tool_choice', 'tools', 'truncation'],
  ]),
);

/** Checks a body's form, then lets the host judge what is in it. */
export function bodyRefusal(text: string, host: StrictHost, model?: string): FakeError | undefined {
  const body = parse(text);
  if (body === undefined) return error(400, 'We could not parse the JSON body of your request.', null);
  if (body.messages === undefined) return error(400, "Missing required parameter: 'messages'.", 'missing');
  return refusalBy(host, body, model);
}

/** The error for an unknown member. */
export function unknownArgument(name: string): FakeError {
  return error(400, `Unrecognized request argument supplied: ${name}`, null);
}

function modelRefusal(text: string): FakeError | undefined {
  if (parse(text)?.model !== 'no-such-model') return undefined;
  return error(404, 'The model `no-such-model` does not exist.', 'model_not_found');
}

/** A body; undefined for one that is no JSON. */
export function parse(text: string): ChatCall | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function error(status: number, message: string, code: string | null): FakeError {
  return { status, body: { error: { message, type: 'invalid_request_error', param: null, code } } };
}
