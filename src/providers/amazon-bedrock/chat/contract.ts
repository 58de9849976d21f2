/** What Converse takes of a chat: `docs/providers/amazon-bedrock.md#contract`. What its translation makes fit anyway is not here. */
import { type ChatContract, LENIENT_CHAT } from '../../../catalog/chat-contract.js';
import type { Endpoint } from '../../../catalog/types.js';
import { claudeContract } from '../../anthropic/chat/contract.js';
import { modelOf } from './model.js';

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html */
const OF_CONVERSE = {
  maxCallId: 64,
  maxToolName: 64,
  functions: false,
  refusals: false,
  userParts: ['text', 'image_url', 'input_audio', 'video_url', 'file'],
} as const;

/** Media in results are Claude's and Nova's: `API_runtime_ToolResultContentBlock.html`. */
const CONVERSE: ChatContract = {
  ...LENIENT_CHAT,
  ...OF_CONVERSE,
  callIds: 'plain',
  pairedCalls: true,
  toolNames: 'plain',
  images: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  rootUnions: false,
  maxTemperature: 1,
};

/**
 * Of a root Nova knows these alone: https://github.com/zed-industries/zed/issues/28521. Of a tool with another name it writes no
 * call that Bedrock can read: https://repost.aws/questions/QUAye7aPrtTGuQ0an81n2WTQ/aws-nova-models-tools-naming-convention-issue.
 */
const NOVA: ChatContract = {
  ...CONVERSE,
  toolNames: 'word',
  toolNameStart: 'letter',
  mediaInResults: true,
  rootWords: ['type', 'properties', 'required', 'description'],
};

/** Converse has no word for the reasoning of others: whatever they do, they do by themselves. */
const OTHER: ChatContract = { ...CONVERSE, efforts: [] };

/** A turn is of words, of calls or of results: https://github.com/langchain-ai/langchain-aws/pull/1118. */
const ONE_KIND_A_TURN: ChatContract = {
  ...OTHER,
  emptyContents: 'filled',
  assistantAfterResults: true,
  wordsBesideCalls: false,
};

/** No call can be forced: https://github.com/maximhq/bifrost/pull/3196. */
const LLAMA: ChatContract = { ...ONE_KIND_A_TURN, toolChoices: ['none', 'auto'] };

export function converseContract(endpoint: Endpoint): ChatContract {
  const { family } = modelOf(endpoint);
  if (family === 'claude') return { ...claudeContract(endpoint.upstreamModelId), ...OF_CONVERSE };
  if (family === 'nova') return NOVA;
  if (family === 'gpt-oss') return CONVERSE;
  if (family === 'llama') return LLAMA;
  return family === 'mistral' ? ONE_KIND_A_TURN : OTHER;
}
