/** What Gemini takes of a chat: `docs/providers/google-vertex.md#contract`. What its translation makes fit anyway is not here. */
import { type ChatContract, LENIENT_CHAT } from '../../../../catalog/chat-contract.js';
import { generationOf } from '../../host/publisher.js';

const GEMINI: ChatContract = {
  ...LENIENT_CHAT,
  pairedCalls: true,
  toolNames: 'dotted',
  toolNameStart: 'word',
  maxToolName: 64,
  userFirst: true,
  mediaInResults: true,
  images: ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif'],
};

const WITHOUT_FORMAT_BESIDE_TOOLS: ChatContract = { ...GEMINI, formatWithTools: false };

/** The first generation that answers in JSON beside tools. */
const FIRST_WITH_BOTH = 3;

export function geminiContract(model: string): ChatContract {
  const generation = generationOf(model) ?? FIRST_WITH_BOTH;
  return generation >= FIRST_WITH_BOTH ? GEMINI : WITHOUT_FORMAT_BESIDE_TOOLS;
}
