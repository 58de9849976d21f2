/** How Google Vertex AI refuses: `docs/providers/README.md#refusals-that-are-learned-from`. */
import { BETA_HEADER } from '../../formats/messages/headers.js';
import type { HostRefusals, NamedFeatures } from '../../inference/ports/refusals.js';
import { betaName } from '../anthropic/refusals.js';

export const VERTEX_REFUSALS: HostRefusals = {
  members: {
    topP: 'top_p',
    topK: 'top_k',
    frequencyPenalty: 'frequency_penalty',
    presencePenalty: 'presence_penalty',
    stopSequences: 'stop',
  },
  below: ['generationConfig', 'generation_config'],
  groups: {
    Penalty: ['frequency_penalty', 'presence_penalty'],
    Logprobs: ['logprobs', 'top_logprobs'],
  },
  overflow: [
    /input token count is (?<tokens>\d{1,12}) but model only supports up to (?<limit>\d{1,12})/,
    /input token count \((?<tokens>[\d,]{1,15})\) exceeds the maximum number of tokens allowed \((?<limit>[\d,]{1,15})\)/,
    /input token count exceeds the maximum number of tokens allowed(?: (?<limit>[\d,]{1,15}))?/,
  ],
  unsupported: [
    /(Penalty|Logprobs) is not enabled/g,
    /Unknown name "([\w.]{1,100})"(?: at '[\w.[\]]{1,100}')?/g,
  ],
  featureWords: [{ kind: BETA_HEADER, namedIn: refusedBetas }],
};

const ABOUT_BETAS = 'for the `anthropic-beta` header';

/** Lists the values of the header that Vertex AI does not know. */
const UNEXPECTED_BETAS =
  /^Unexpected value\(s\) (`[\w.-]{1,100}`(?:, ?`[\w.-]{1,100}`){0,50}) for the `anthropic-beta` header/;

function refusedBetas(message: string): NamedFeatures | undefined {
  if (!message.includes(ABOUT_BETAS)) return undefined;
  const [phrase = null, values = ''] = UNEXPECTED_BETAS.exec(message) ?? [];
  const names = phrase === null ? [] : values.split(/, ?/).map((value) => betaName(value.slice(1, -1)));
  return { names, phrase };
}
