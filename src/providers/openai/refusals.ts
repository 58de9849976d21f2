/** How OpenAI and hosts that copy its API refuse: `docs/providers/README.md#refusals-that-are-learned-from`. */
import type { HostRefusals } from '../../inference/ports/refusals.js';
import { TOKEN_LIMIT, TOKEN_LIMIT_WORDS } from '../common/token-limit.js';
import { INPUT_LIMIT, INPUT_LIMIT_WORDS } from '../vectors/input-limit.js';
import { alsoInChats } from './chat-over-responses/refused-parts.js';
import { NO_ENCODING } from './embeddings/no-encoding.js';
import { CONTRACT_WORDS, LEARNED_CONTRACT } from './host/learned-contract.js';
import { RESPONSES_FEATURES, RESPONSES_WORDS } from './host/responses-refusals.js';

export const OPENAI_REFUSALS: HostRefusals = {
  members: {
    random_seed: 'seed',
    reasoning: 'reasoning_effort',
    thinking: 'reasoning_effort',
    enable_thinking: 'reasoning_effort',
    include_usage: 'stream_options',
    encoding_format: NO_ENCODING.kind,
  },
  below: ['body'],
  unsupported: [
    /Unsupported parameter: '([\w.]{1,100})'/g,
    /Unrecognized request arguments? supplied: ([\w., ]{1,300})/g,
    /Model incompatible request arguments? supplied: ([\w., ]{1,300})/g,
    /Unknown parameter: '([\w.]{1,100})'/g,
    /Extra inputs are not permitted, field: '([\w.]{1,100})'/g,
    /extra fields not permitted: \['([\w.]{1,100})'\]/g,
    /property '([\w.]{1,100})' is unsupported/g,
    /[`'"]([\w.]{1,100})[`'"] is (?:not supported|unsupported|deprecated)/g,
    /Argument not supported on this model: ([\w.]{1,100})/g,
    /does not support parameter:? '?([\w.]{1,100})/g,
    /does not support parameters: \{'([\w.]{1,100})'/g,
  ],
  overflowCodes: ['context_length_exceeded', 'exceed_context_size_error'],
  // Of hosts that copy it, each in words of its own: docs/providers/README.md#prompts-that-are-too-long.
  overflow: [
    /maximum context length is (?<limit>\d{1,12}) tokens?\. However, (?:your messages resulted in|you requested(?: about)?) (?<tokens>\d{1,12}) tokens/,
    /maximum context length is (?<limit>\d{1,12}) tokens\. However, you requested .{1,100} for a total of at least (?<tokens>\d{1,12}) tokens/,
    /maximum context length is (?<limit>\d{1,12})/,
    /maximum input length is (?<limit>\d{1,12}) tokens/,
    /maximum prompt length is (?<limit>\d{1,12}) but the request contains (?<tokens>\d{1,12}) tokens/,
    /Prompt contains (?<tokens>\d{1,12}) tokens.{0,200}too large for model with (?<limit>\d{1,12}) maximum context length/,
    /request \((?<tokens>\d{1,12}) tokens\) exceeds the available context size \((?<limit>\d{1,12}) tokens\)/,
    /exceeded model token limit: (?<limit>\d{1,12})(?: \(requested: (?<tokens>\d{1,12})\))?/,
    /prompt is too long: (?<tokens>\d{1,12}), model maximum context length: (?<limit>\d{1,12})/,
    /Current length is (?<tokens>\d{1,12}) while limit is (?<limit>\d{1,12})/,
    /input \((?<tokens>\d{1,12}) tokens\) is longer than the model's context length \((?<limit>\d{1,12}) tokens\)/,
    /prompt token count of (?<tokens>\d{1,12}) exceeds the limit of (?<limit>\d{1,12})/,
    /Range of input length should be \[\d{1,12}, (?<limit>\d{1,12})\]/,
    /inputs` tokens \+ `max_new_tokens` must be <= (?<limit>\d{1,12})\. Given: (?<tokens>\d{1,12})/,
    /Request too large for .{1,300}: Limit (?<limit>\d{1,12}), Requested (?<tokens>\d{1,12})/,
    /Trying to keep the first (?<tokens>\d{1,12}) tokens when .{1,100} context length of only (?<limit>\d{1,12}) tokens/,
    /context length is only (?<limit>\d{1,12})(?: tokens)?/,
    /number of tokens to keep from the initial prompt is greater than the context length/,
    /prompt too long; exceeded (?:max )?context length/,
    /exceeds? the context window/,
    /context window exceeds limit/,
    /input length .{0,60}exceeds .{0,60}context length/,
    /Please reduce the length of (?:the|your) (?:messages|prompt|input)/,
    /Prompt exceeds max length/,
    /inputs?`? must have less than (?<limit>\d{1,12}) tokens(?:\. Given: (?<tokens>\d{1,12}))?/,
    /inputs?`? must have less than \d{1,12} characters/,
    /input \((?<tokens>\d{1,12}) tokens\) is too large to process\. increase the physical batch size \(current batch size: (?<limit>\d{1,12})\)/,
    /input is too large to process[.,] (?:please )?increase the physical batch size/,
    /Input length (?<tokens>\d{1,12}) exceeds maximum allowed token size (?<limit>\d{1,12})/,
    /prefill (?<tokens>\d{1,12}) tokens exceed n_ctx/,
  ],
  unsupportedValue: [
    /Unsupported value: '([\w.]{1,100})'/g,
    /Value '[\w.]{1,60}' supplied for argument '([\w.]{1,100})' is not valid/g,
  ],
  features: [...RESPONSES_FEATURES.map(alsoInChats), LEARNED_CONTRACT, TOKEN_LIMIT, INPUT_LIMIT, NO_ENCODING],
  featureWords: [...RESPONSES_WORDS, CONTRACT_WORDS, TOKEN_LIMIT_WORDS, INPUT_LIMIT_WORDS],
  // https://platform.openai.com/docs/guides/error-codes
  unsupportedCodes: ['unsupported_parameter', 'unknown_parameter'],
  unsupportedEndpoint: [
    /only supported in v1\/responses/,
    /not supported in the v1\/chat\/completions endpoint/,
  ],
};
