/**
 * What OpenAI's reasoning models refuse of a chat, at OpenAI and on Azure. The words are those of
 * https://github.com/VoltAgent/voltagent/issues/471 (`max_tokens`),
 * https://github.com/anomalyco/opencode/issues/1984 (a value) and, for the shape,
 * https://github.com/egoist/chatwise-releases/issues/1122.
 */
import type { FakeError } from './errors.js';
import type { ChatCall } from './plan.js';

/** The o series and GPT-5, by the model's or the deployment's name. */
const REASONING_MODEL = /^(?:o\d|gpt-5)/;

/** Models that `v1/chat/completions` does not serve: https://developers.openai.com/api/docs/models/o3-pro. */
const RESPONSES_ONLY = /^(?:o\d-pro|gpt-5-pro)/;

const SAMPLING = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const;

export function reasoningModelRefusal(model: string, call: ChatCall): FakeError | undefined {
  if (RESPONSES_ONLY.test(model)) {
    const message = 'This model is only supported in v1/responses and not in v1/chat/completions.';
    return refusal(404, message, 'model', null);
  }
  if (!REASONING_MODEL.test(model)) return undefined;
  if (call.max_tokens !== undefined) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return refusal(400, message, 'max_tokens', 'unsupported_parameter');
  }
  const name = SAMPLING.find((one) => call[one] !== undefined && call[one] !== 1);
  if (name === undefined) return undefined;
  const message = `Unsupported value: '${name}' does not support ${JSON.stringify(call[name])} with this model. Only the default (1) value is supported.`;
  return refusal(400, message, name, 'unsupported_value');
}

function refusal(status: number, message: string, param: string, code: string | null): FakeError {
  return { status, body: { error: { message, type: 'invalid_request_error', param, code } } };
}
