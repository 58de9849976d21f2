/** How OpenAI and hosts that copy its API refuse: `docs/providers/README.md#refusals-that-are-learned-from`. */
import type { HostRefusals } from '../../inference/ports/refusals.js';

export const OPENAI_REFUSALS: HostRefusals = {
  members: {
    random_seed: 'seed',
    reasoning: 'reasoning_effort',
    thinking: 'reasoning_effort',
    enable_thinking: 'reasoning_effort',
    include_usage: 'stream_options',
  },
  below: ['body'],
  unsupported: [
    /Unsupported parameter: '([\w.]{1,100})'/g,
    /Unrecognized request arguments? supplied: ([\w., ]{1,300})/g,
    /Model incompatible request arguments? supplied: ([\w., ]{1,300})/g,
    /Unknown parameter: '([\w.]{1,100})'/g,
    /Extra inputs are not permitted, field: '([\w.]{1,100})'/g,
    /property '([\w.]{1,100})' is unsupported/g,
    /[`'"]([\w.]{1,100})[`'"] is (?:not supported|unsupported|deprecated)/g,
    /Argument not supported on this model: ([\w.]{1,100})/g,
    /does not support parameter:? '?([\w.]{1,100})/g,
  ],
  unsupportedValue: [/Unsupported value: '([\w.]{1,100})'/g],
  // https://platform.openai.com/docs/guides/error-codes
  unsupportedCodes: ['unsupported_parameter', 'unknown_parameter'],
  unsupportedEndpoint: [
    /only supported in v1\/responses/,
    /not supported in the v1\/chat\/completions endpoint/,
  ],
};
