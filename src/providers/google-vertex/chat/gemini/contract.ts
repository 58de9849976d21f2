/** What Gemini takes of a chat: `docs/providers/google-vertex.md#contract`. What its translation makes fit anyway is not here. */
import { type ChatContract, LENIENT_CHAT } from '../../../../catalog/chat-contract.js';
import { generationOf } from '../../host/publisher.js';

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference */
const GEMINI: ChatContract = {
  ...LENIENT_CHAT,
  pairedCalls: true,
  toolNames: 'dotted',
  toolNameStart: 'word',
  maxToolName: 64,
  userFirst: true,
  prefill: 'refused',
  emptyContents: 'none',
  mediaInResults: true,
  userParts: ['text', 'refusal', 'image_url', 'video_url', 'input_audio', 'file'],
  images: ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif'],
  functions: false,
  refusals: false,
  refSiblings: false,
  knownChoices: true,
  maxStops: 5,
  maxChoices: 8,
  maxTemperature: 2,
};

/** Of all generations whose first is no later than a model's, the later ones win. */
const SINCE: readonly (readonly [first: number, contract: Partial<ChatContract>])[] = [
  [0, { formatWithTools: false, ownToolsBesideFunctions: false, efforts: [] }],
  [2.5, { efforts: null, refusedMembers: ['frequency_penalty', 'presence_penalty'] }],
  [
    3,
    {
      formatWithTools: true,
      ownToolsBesideFunctions: true,
      refusedMembers: ['frequency_penalty', 'presence_penalty', 'logprobs', 'top_logprobs'],
    },
  ],
];

/** Of models whose id does not name it (`gemini-flash-latest`). */
const LATEST = 3;

export function geminiContract(model: string): ChatContract {
  const generation = generationOf(model) ?? LATEST;
  const rows = SINCE.filter(([first]) => first <= generation).map(([, contract]) => contract);
  return Object.assign({}, GEMINI, ...rows);
}
