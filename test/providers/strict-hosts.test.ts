import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Body } from '../support/strict/chat.js';
import { CHAT_HOSTS } from '../support/strict/hosts/index.js';
import { type Rule, refusalOf, type StrictHost } from '../support/strict/rule.js';

/** A whole body of what an example says. */
function whole({ model, plain }: StrictHost, example: Body): Body {
  const messages = [{ role: 'user', content: 'Hello' }];
  return JSON.parse(JSON.stringify({ model, messages, ...plain, ...example }));
}

/** The rules that are a host's first of their kind, with the host. */
const RULES = [
  ...new Map(CHAT_HOSTS.toReversed().flatMap((host) => host.rules.map((rule) => [rule, host] as const))),
];

describe.each(CHAT_HOSTS.map((host) => [`${host.name}, ${host.model}`, host] as const))('%s', (_, host) => {
  it('takes a plain chat, in one piece and streamed', () => {
    expect(refusalOf(host, whole(host, {}))).toBeUndefined();
    expect(refusalOf(host, whole(host, { stream: true }))).toBeUndefined();
  });

  it('takes a conversation with a call and its result, where it takes tools', () => {
    const lookup = {
      type: 'function',
      function: { name: 'lookup', parameters: { type: 'object', properties: {} } },
    };
    const call = { id: 'call12345', type: 'function', function: { name: 'lookup', arguments: '{}' } };
    const signed = { ...call, extra_content: { google: { thought_signature: 'c2lnbmVk' } } };
    const refusal = refusalOf(
      host,
      whole(host, {
        tools: [lookup],
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'Hello' },
          {
            role: 'assistant',
            content: 'Hm.',
            tool_calls: [host.name === 'google-ai-studio' ? signed : call],
          },
          { role: 'tool', tool_call_id: 'call12345', content: 'sunny' },
        ],
      }),
    );
    expect(refusal === undefined || host.name === 'perplexity' ? undefined : refusal.body).toBeUndefined();
  });

  it('names where each rule is from, when it was looked up and how sure it is', () => {
    for (const rule of host.rules) {
      expect(rule.source).toMatch(/^(?:https:\/\/|npm |PyPI |public code that quotes )/);
      expect(rule.seen).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(rule.refuses).toMatch(/\.$|\)$/);
    }
  });
});

describe('a host refuses the example of each of its rules, by that rule, and takes one that is like it', () => {
  const named = RULES.map(([rule, host]): [string, Rule, StrictHost] => [
    `${host.name}: ${rule.refuses}`,
    rule,
    host,
  ]);
  it.each(named)('%s', (_, rule, host) => {
    const refusal = refusalOf(host, whole(host, rule.example.refused));
    expect(refusal?.rule.refuses).toBe(rule.refuses);
    expect(refusal?.rule).toBe(rule);
    expect(refusal?.status).toBeGreaterThanOrEqual(400);
    const taken = refusalOf(host, whole(host, rule.example.taken));
    expect(taken?.body).toBeUndefined();
  });
});

it('a host answers to whatever is sent to it', () => {
  const part = fc.record({
    type: fc.constantFrom('text', 'image_url', 1),
    text: fc.jsonValue(),
    image_url: fc.jsonValue(),
  });
  const call = fc.record({ id: fc.jsonValue(), function: fc.jsonValue() });
  const message = fc.record({
    role: fc.constantFrom('user', 'assistant', 'tool', 'system', null, {}),
    content: fc.oneof(fc.jsonValue(), fc.array(part)),
    tool_calls: fc.oneof(fc.jsonValue(), fc.array(call)),
    extra_content: fc.jsonValue(),
  });
  const body = fc.record({
    model: fc.constantFrom('gpt-5.6', 'kimi-k3', 'gemini-3-pro', undefined, null, 7),
    messages: fc.oneof(fc.jsonValue(), fc.array(message)),
    tools: fc.oneof(
      fc.jsonValue(),
      fc.array(fc.record({ function: fc.oneof(fc.jsonValue(), fc.record({ parameters: fc.jsonValue() })) })),
    ),
    tool_choice: fc.jsonValue(),
    response_format: fc.oneof(
      fc.jsonValue(),
      fc.record({ type: fc.string(), json_schema: fc.record({ schema: fc.jsonValue() }) }),
    ),
    thinking: fc.jsonValue(),
    reasoning: fc.jsonValue(),
  });
  fc.assert(
    fc.property(body, (sent) => {
      for (const host of CHAT_HOSTS) refusalOf(host, sent);
    }),
    { numRuns: 300 },
  );
});
