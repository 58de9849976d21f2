/** What Claude takes of a chat: `docs/providers/anthropic.md#contract`. What its translation makes fit anyway is not here. */
import { type ChatContract, LENIENT_CHAT } from '../../../catalog/chat-contract.js';
import { traitsOf } from '../host/model.js';

const CLAUDE: ChatContract = {
  ...LENIENT_CHAT,
  callIds: 'plain',
  pairedCalls: true,
  toolNames: 'plain',
  maxToolName: 128,
  mediaInResults: true,
  userParts: ['text', 'image_url', 'file'],
  images: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  functions: false,
  rootUnions: false,
  knownChoices: true,
  emptyTools: false,
};

const WITHOUT_THOUGHTS: ChatContract = { ...CLAUDE, efforts: [] };
const WITHOUT_PREFILL: ChatContract = { ...CLAUDE, prefill: 'refused' };

export function claudeContract(modelId: string): ChatContract {
  const { takesPrefill, thinking } = traitsOf(modelId);
  if (!takesPrefill) return WITHOUT_PREFILL;
  return thinking === 'none' ? WITHOUT_THOUGHTS : CLAUDE;
}
