/** How Amazon Bedrock refuses: `docs/providers/README.md#refusals-that-are-learned-from`. */
import { BETA_HEADER } from '../../formats/messages/headers.js';
import type { HostRefusals } from '../../inference/ports/refusals.js';

/** Bedrock's refusal of a beta feature, which does not name the feature. */
const INVALID_FLAG = /^invalid beta flag\.?$/;

export const BEDROCK_REFUSALS: HostRefusals = {
  members: { topP: 'top_p', stopSequences: 'stop' },
  below: ['inferenceConfig', 'additionalModelRequestFields'],
  unsupported: [/This model doesn't support the ([\w.]{1,100}) field/g, /extraneous key \[([\w.]{1,100})\]/g],
  overflow: [
    /Input is too long for requested model/,
    /Too many input tokens\. Max input tokens: (?<limit>\d{1,12}), request input token count: (?<tokens>\d{1,12})/,
    /too many (?:input )?tokens/i,
    // Of a text to embed, in characters.
    /Malformed input request: (?:#\/(?:texts\/\d{1,4}|inputText): )?expected maxLength: \d{1,12}, actual: \d{1,12}/,
  ],
  unsupportedEndpoint: [/with on-demand throughput isn.t supported/],
  featureWords: [
    {
      kind: BETA_HEADER,
      namedIn: (message) => (INVALID_FLAG.test(message) ? { names: null, phrase: null } : undefined),
    },
  ],
};
