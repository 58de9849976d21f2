import { describe, expect, it } from 'vitest';
import type { ChatBody, ChatMessage } from '../../../src/formats/chat/types.js';
import { members } from '../../../src/formats/json.js';
import { startTable as startBedrock } from '../amazon-bedrock/adapter.fixture.js';
import { startTable as startClaude } from '../anthropic/adapter.fixture.js';
import { startTable as startGemini } from '../google-vertex/adapter.fixture.js';
import { user } from './chat.fixture.js';

const parameters = { type: 'object', properties: { city: { type: 'string' } } };

const LEGACY: Partial<ChatBody> = {
  functions: [{ name: 'weather', description: 'Looks', parameters }],
  function_call: { name: 'weather' },
  messages: [
    user(),
    { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{"city":"Bern"}' } },
    { role: 'function', name: 'weather', content: 'Snow' } as ChatMessage,
    user('And now?'),
  ],
};

const HOSTS = { 'Amazon Bedrock': startBedrock, Anthropic: startClaude, Gemini: startGemini } as const;

describe.each(Object.entries(HOSTS))('the functions that tools were before, at %s', (_, start) => {
  it('are sent as tools, their calls and results as those of tools', async () => {
    const table = await start();
    await table.complete({ body: LEGACY });
    const sent = JSON.stringify(table.fake.requests.at(-1)?.body);
    for (const said of ['"weather"', 'Looks', '"city":"Bern"', 'Snow']) expect(sent).toContain(said);
    expect(sent).not.toMatch(/"functions"|"function_call"/);
  });

  it('are answered with `function_call`, whole and streamed', async () => {
    const table = await start();
    const body = { ...LEGACY, messages: [user()] };
    const { choices } = await table.complete({ body });
    const message = choices[0]?.message;
    expect(message).not.toHaveProperty('tool_calls');
    const whole = members(message?.function_call);
    expect(whole).toMatchObject({ name: 'weather', arguments: expect.stringMatching(/^\{/) });
    const { events } = await table.stream({ body });
    const deltas = events.flatMap((event) => (event.type === 'delta' ? [event.delta] : []));
    expect(deltas.some((delta) => delta.tool_calls !== undefined)).toBe(false);
    const called = deltas.map(({ function_call }) => members(function_call));
    expect(called.flatMap(({ name }) => name ?? [])).toEqual(['weather']);
    const text = called.map((one) => one.arguments ?? '').join('');
    expect(JSON.parse(text)).toEqual(JSON.parse(String(whole.arguments)));
  });
});
