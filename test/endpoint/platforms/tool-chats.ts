/** Chats with a tool and reasoning, at all platforms. */
import { expect } from 'vitest';
import { answerIn } from '../../support/chat-answer.js';
import { launchPlatforms, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { TOOLS, wireFormatOf } from './wire-formats.js';

/** Each platform has the model `m`. */
export function launchToolChats(): Promise<PlatformsGateway> {
  const reasoning = { mandatory: false, supports_max_tokens: false };
  const upstreamId = (platform: Platform) => wireFormatOf(platform).model;
  return launchPlatforms([{ name: 'm', upstreamId, overrides: () => ({ reasoning }) }]);
}

export const MODES = [
  ['in one piece', false],
  ['streamed', true],
] as const;

export const USER = [{ role: 'user', content: 'The weather there?' }];
export const TOOL_CHAT = { tools: TOOLS, reasoning: { effort: 'low' }, max_tokens: 4_096 };

/** The message that answers the chat, which must succeed. */
export async function answerTo(gateway: PlatformsGateway, { slug }: Platform, body: object, stream: boolean) {
  const request = { model: `${slug}/m`, ...TOOL_CHAT, ...body, ...(stream && { stream }) };
  const answer = await gateway.use('POST', '/chat/completions', request);
  expect([slug, answer.status, answer.text]).toEqual([slug, 200, expect.anything()]);
  return answerIn(answer, stream).message;
}
