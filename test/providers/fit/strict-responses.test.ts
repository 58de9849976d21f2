import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/formats/chat/types.js';
import { nativeRequest } from '../../../src/providers/openai/responses/request.js';
import { responsesConversation } from '../../support/conversations/responses/responses.js';
import { lost } from '../../support/conversations/said/lost.js';
import { saidInResponses } from '../../support/conversations/said/responses.js';
import { RESPONSES_HOSTS } from '../../support/strict/native/hosts.js';
import { refusalBy } from '../../support/strict/native/rule.js';
import { fittedResponses } from './responses.fixture.js';

/** Conversations a host; `BYWAY_CONVERSATIONS` sets another number. */
const CONVERSATIONS = Number(process.env.BYWAY_CONVERSATIONS ?? 300);
const SEED = Number(process.env.BYWAY_CONVERSATION_SEED ?? 1);

/** What is sent of a conversation to a model of the host. */
function sentOf(body: JsonObject, at: string, model: string, isStreamed: boolean): JsonObject {
  const { body: fitted } = fittedResponses(body, { at, model });
  const target = { url: new URL('https://host/v1/responses'), headers: {}, model };
  return JSON.parse(JSON.stringify(nativeRequest(target, { body: fitted } as never, isStreamed).body));
}

/** Members that are newer than this gateway pass: OpenAI may know them. */
function withoutNewMembers({ new_member, ...body }: JsonObject): JsonObject {
  return body;
}

describe('any conversation, passed on as it came', () => {
  it.each(RESPONSES_HOSTS.map((host) => [host.name, host] as const))(
    `is taken whole by %s (seeds from ${SEED})`,
    (name, host) => {
      const found: string[] = [];
      const at = name === 'responses-azure' ? 'azure' : 'openai';
      for (let seed = SEED; seed < SEED + CONVERSATIONS; seed += 1) {
        const { text } = responsesConversation(seed);
        const given = JSON.parse(text) as JsonObject;
        const isStreamed = seed % 2 === 1;
        const sent = sentOf(given, at, host.model, isStreamed);
        const refusal = refusalBy(host, withoutNewMembers(sent), { isStreamed });
        const missing = lost(saidInResponses(given), saidInResponses(sent), { thoughts: true, tools: true });
        if (refusal !== undefined) found.push(`seed ${seed}, refused: ${refusal}`);
        if (missing.length > 0) found.push(`seed ${seed}, lost: ${missing.join('; ')}`);
      }
      expect(found).toEqual([]);
    },
    3_000_000,
  );

  it('half of them would be refused as they come, or the rules judge nothing', () => {
    const [host] = RESPONSES_HOSTS;
    const seeds = Array.from({ length: CONVERSATIONS }, (_, index) => SEED + index);
    const refused = seeds.filter((seed) => {
      const body = JSON.parse(responsesConversation(seed).text);
      return (
        host !== undefined && refusalBy(host, { ...withoutNewMembers(body), store: false }) !== undefined
      );
    });
    expect(refused.length).toBeGreaterThan(CONVERSATIONS / 2);
  });
});
