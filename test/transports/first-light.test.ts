import { expect, it } from 'vitest';
import { startGateway } from '../support/gateway.js';

it('lists models, answers a chat and says which provider served it', async () => {
  const { rest, apiKey } = await startGateway();
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const list = await fetch(`${rest}/models/user`, { headers });
  expect(await list.json()).toMatchObject({ total_count: 3, links: { next: null } });
  const body = JSON.stringify({ model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] });
  const chat = await fetch(`${rest}/chat/completions`, { method: 'POST', headers, body });
  expect(chat.status).toBe(200);
  expect(await chat.json()).toMatchObject({ model: 'test/m1', provider: 'a', usage: { is_byok: false } });
});
