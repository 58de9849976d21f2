/** Fireworks, which names what it does not know: `Extra inputs are not permitted, field: 'x', value: 1`. */
import { closed, exclusive, stopCount, within } from '../members.js';
import { assumed, documented, reported, type StrictHost } from '../rule.js';
import { FUNCTIONS, typesSaid } from '../schemas.js';
import { choices } from '../tools.js';
import { rolesKnown } from '../turns.js';

const SDK = 'PyPI fireworks-ai 1.2.30';

/** `CompletionCreateParamsBase`, and `stream` with its options. */
const REQUEST = `messages model context_length_exceeded_behavior echo echo_last frequency_penalty function_call functions
  ignore_eos logit_bias logprobs max_completion_tokens max_tokens metadata min_p mirostat_lr mirostat_target n
  parallel_tool_calls perf_metrics_in_response prediction presence_penalty prompt_cache_isolation_key prompt_cache_key
  prompt_truncate_len raw_output reasoning_effort reasoning_history repetition_penalty response_format return_token_ids
  safe_tokenization seed service_tier speculation stop stream stream_options temperature thinking tool_choice tools top_k
  top_logprobs top_p typical_p user`;

const extra = (path: string) => `Extra inputs are not permitted, field: '${path}'`;

export const fireworks: StrictHost = {
  name: 'fireworks',
  format: 'chat',
  model: 'accounts/fireworks/models/kimi-k2',
  rules: [
    closed(reported('https://github.com/web-infra-dev/midscene/issues/1322'), {
      place: 'request',
      names: REQUEST,
      words: extra,
    }),
    closed(assumed(`${SDK} ChatMessage, and that requests are closed`), {
      place: 'message',
      names: 'role content reasoning_content tool_call_id tool_calls name',
      words: extra,
    }),
    rolesKnown(
      reported('https://github.com/BerriAI/litellm-docs/pull/1210'),
      ['system', 'user', 'assistant', 'tool'],
      (index, role) => `messages[${index}]: unknown role '${role}'`,
    ),
    typesSaid(
      reported('https://github.com/docker/mcp-gateway/pull/234'),
      FUNCTIONS,
      (_, path) => `JSON Schema not supported: could not understand the instance at ${path}`,
    ),
    exclusive(
      documented(`${SDK} CompletionCreateParamsBase.thinking`),
      { thinking: { type: 'enabled' } },
      { reasoning_effort: 'high' },
      'thinking cannot be specified together with reasoning_effort',
    ),
    choices(
      documented(`${SDK} ToolChoice`),
      ['auto', 'none', 'any', 'required'],
      true,
      () => 'tool_choice: invalid value',
    ),
    stopCount(documented(`${SDK} CompletionCreateParamsBase.stop`), 4, 'stop: at most 4'),
    within(documented(`${SDK} CompletionCreateParamsBase.temperature`), 'temperature', { least: 0, most: 2 }),
    within(documented(`${SDK} CompletionCreateParamsBase.n`), 'n', { least: 1, most: 128 }),
    within(documented(`${SDK} CompletionCreateParamsBase.top_k`), 'top_k', { least: 0, most: 100 }),
    within(documented(`${SDK} CompletionCreateParamsBase.top_logprobs`), 'top_logprobs', {
      least: 0,
      most: 5,
    }),
  ],
  refuse: (message, { status = 400 }) => ({
    status,
    body: { error: { object: 'error', type: 'invalid_request_error', message } },
  }),
};
