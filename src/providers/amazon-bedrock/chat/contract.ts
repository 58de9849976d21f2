/** What Converse takes of a chat: `docs/providers/amazon-bedrock.md#contract`. What its translation makes fit anyway is not here. */
import { type ChatContract, LENIENT_CHAT } from '../../../catalog/chat-contract.js';
import type { Endpoint } from '../../../catalog/types.js';
import { claudeContract } from '../../anthropic/chat/contract.js';
import { modelOf } from './model.js';

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html */
const OF_CONVERSE = { maxCallId: 64, maxToolName: 64 } as const;

const CONVERSE: ChatContract = {
  ...LENIENT_CHAT,
  ...OF_CONVERSE,
  callIds: 'plain',
  pairedCalls: true,
  toolNames: 'plain',
  mediaInResults: true,
  images: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  rootUnions: false,
};

/** Its models see no media in results. */
const LLAMA: ChatContract = { ...CONVERSE, mediaInResults: false };

export function converseContract(endpoint: Endpoint): ChatContract {
  const { family } = modelOf(endpoint);
  if (family === 'claude') return { ...claudeContract(endpoint.upstreamModelId), ...OF_CONVERSE };
  return endpoint.upstreamModelId.includes('llama') ? LLAMA : CONVERSE;
}
