import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutForeignThoughts } from '../../providers/fit/lanes.fixture.js';
import { chatConversation } from '../../support/conversations/chat/chat.js';
import type { Conversation } from '../../support/conversations/conversation.js';
import { exactText, parseExact } from '../../support/conversations/exact-json.js';
import { messagesConversation } from '../../support/conversations/messages/messages.js';
import { lost, saidIn } from '../../support/conversations/said.js';
import { type HostsGateway, launchHosts } from '../../support/hosts/gateway.js';
import { HOSTS, type Host, modelIdOf, speaksMessages } from '../../support/hosts/table.js';
import { bodyOf, type Row } from '../../support/rest.js';

/** Conversations a lane; without a transport there are more of them in `test/providers/fit/strict-hosts.test.ts`. */
const CONVERSATIONS = Number(process.env.BYWAY_CONVERSATIONS_SENT ?? 20);
const SEED = Number(process.env.BYWAY_CONVERSATION_SEED ?? 1);

const APIS = {
  chat: { path: '/chat/completions', generate: chatConversation },
  messages: { path: '/messages', generate: messagesConversation },
} as const;

type Api = keyof typeof APIS;

let gateway: HostsGateway;

beforeAll(async () => {
  const reasoning = { mandatory: false, supports_max_tokens: false };
  gateway = await launchHosts({ context_length: 1_000_000, reasoning }, 'byok');
}, 60_000);
afterAll(() => gateway?.stop());

/** Every second one is streamed. Members that the generator makes up pass as they came; hosts that know newer ones would take them. */
function bodyOfRequest({ body, seed }: Conversation, isNative: boolean): string {
  const members = isNative
    ? Object.entries(body).filter(([name]) => !name.startsWith('new_'))
    : Object.entries(body);
  return exactText({ ...Object.fromEntries(members), stream: seed % 2 === 1 });
}

/** What went wrong with a conversation; undefined where nothing did. */
async function wrong(host: Host, api: Api, seed: number): Promise<string | undefined> {
  const { path, generate } = APIS[api];
  const conversation = generate(seed, modelIdOf(host));
  const before = gateway.requests(host).length;
  const headers = { 'anthropic-beta': conversation.betas.join(',') };
  const isNative = api === 'messages' && speaksMessages(host);
  const answer = await gateway.use('POST', path, bodyOfRequest(conversation, isNative), headers);
  const sent = gateway.requests(host).slice(before);
  const refused = sent.find((one) => one.refused !== undefined);
  if (refused !== undefined) return `refused by the host: ${refused.refused} ${refused.text.slice(0, 300)}`;
  if (answer.status !== 200) {
    const { message } = bodyOf(answer).error as Row;
    const isNamed = answer.status === 400 && String(message).length > 20;
    return isNamed && sent.length === 0
      ? undefined
      : `${answer.status} after ${sent.length} sent: ${answer.text}`;
  }
  const [only, ...more] = sent;
  if (only === undefined || more.length > 0) return `sent ${sent.length} times`;
  const missing = lost(
    saidIn(api, withoutForeignThoughts(parseExact(conversation.text) as Row)),
    saidIn(isNative ? 'messages' : host.format, parseExact(only.text) as object),
    { thoughts: !isNative, tools: true, fetched: true, spokenCalls: host.lacks.includes('tools') },
  );
  return missing.length > 0 ? `lost: ${missing.join('; ')}` : undefined;
}

describe.each(['chat', 'messages'] as const)('any conversation of the format %s', (api) => {
  it.each(HOSTS)(
    `sent over HTTP is taken whole by $name, or refused before it is sent (seeds from ${SEED})`,
    async (host) => {
      const found: string[] = [];
      for (let seed = SEED; seed < SEED + CONVERSATIONS; seed += 1) {
        const what = await wrong(host, api, seed);
        if (what !== undefined) found.push(`seed ${seed}: ${what}`);
      }
      expect(found).toEqual([]);
    },
    120_000,
  );
});
