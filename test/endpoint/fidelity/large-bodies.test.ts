import { describe, expect, it } from 'vitest';
import { onPlatforms } from './platform.js';

/** Three control characters, each of which is six characters of JSON. */
const CONTROLS = 'AAAA';

describe('a request that becomes larger than what any provider takes', () => {
  const { gateway, ask, sent } = onPlatforms([
    { name: 'm', overrides: () => ({ context_length: 10_000_000 }) },
  ]);

  it('is refused before it is sent, as the caller’s, and the provider serves on', async () => {
    const file_data = `data:text/plain;base64,${CONTROLS.repeat(4_000_000)}`;
    const messages = [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.txt', file_data } }] }];
    const { error } = await ask('anthropic', { messages });
    expect(error).toMatchObject({ code: 400, message: expect.stringContaining('67108864 bytes') });
    expect(sent('anthropic')).toBeUndefined();
    const hello = { messages: [{ role: 'user', content: 'Hello' }] };
    expect((await ask('anthropic', hello)).error).toBeUndefined();
  });

  it.each(['anthropic', 'bedrock-key', 'vertex-gemini', 'vertex-claude'])(
    'of too much in the arguments of its calls is refused to %s, which takes them as JSON',
    async (slug) => {
      const text = `{"a":[${'[],'.repeat(60_000)}[]]}`;
      const call = { id: 'c', type: 'function', function: { name: 'f', arguments: text } };
      const messages = [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'x' },
      ];
      const { error } = await ask(slug, { messages });
      expect(error).toMatchObject({ code: 400, message: expect.stringContaining('objects and lists') });
      const { status } = await gateway().use('POST', '/chat/completions', { model: 'openai/m', messages });
      expect(status).toBe(200);
    },
  );
});
