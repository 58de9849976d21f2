import { expect, it } from 'vitest';
import { startResponses } from './responses.fixture.js';

/** OpenAI's types allow null for both: `ResponseCreateParams` of the package `openai` 6.49. */
it.each(['stream', 'parallel_tool_calls'])('`%s: null` is as if it were left out', async (member) => {
  const { ask } = await startResponses();
  for (const model of ['test/chat', 'test/responses']) {
    const answer = await ask({ model, input: 'Hello', [member]: null });
    expect([answer.status, answer.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('application/json'),
    ]);
  }
});

it.each([['/chat/completions', { messages: [{ role: 'user', content: 'Hello' }] }]])(
  '`stream: null` is as if it were left out at %s',
  async (path, body) => {
    const { use } = await startResponses();
    expect((await use('POST', path, { model: 'test/chat', stream: null, ...body })).status).toBe(200);
  },
);
