import { expect, it } from 'vitest';
import type { Byway } from '../../src/client/index.js';

it('wrong calls of the typed client do not compile: the compiler refuses an expectation that nothing breaks', () => {
  expect([right, wrong]).toHaveLength(2);
});

/** What must compile. Never called. */
async function right(byway: Byway) {
  const { data, totalCount } = await byway.keys.list({ limit: 10, includeDisabled: true });
  const hash: string | undefined = data[0]?.hash;
  await byway.keys.update({ key: { hash: hash ?? '', limit: totalCount }, updateMask: { paths: ['limit'] } });
  const stream = byway.chat.stream({ chat: { model: 'm', messages: [{ role: 'user' }] } });
  for await (const { choices } of stream) choices[0]?.delta?.content?.toUpperCase();
  const { deleted }: { deleted: boolean } = await byway.byok.delete({ id: 'x' });
  return deleted;
}

/** What must not. Never called. */
async function wrong(byway: Byway) {
  // @ts-expect-error a method that does not exist
  byway.keys.rename({ hash: 'x' });
  // @ts-expect-error a service that does not exist
  byway.secrets.list({});
  // @ts-expect-error a field that does not exist
  byway.keys.list({ size: 10 });
  // @ts-expect-error the REST spelling of a field
  byway.keys.list({ include_disabled: true });
  // @ts-expect-error a number for a text
  byway.keys.get({ hash: 5 });
  // @ts-expect-error a text for a number
  byway.keys.create({ name: 'x', limit: '5' });
  // @ts-expect-error a spelling for a value of an enum
  byway.keys.create({ name: 'x', limitReset: 'daily' });
  // @ts-expect-error null for a field without a value
  byway.keys.create({ name: 'x', limit: null });
  // @ts-expect-error the fields of the resource beside it
  byway.keys.update({ hash: 'x', name: 'y' });
  // @ts-expect-error a mask that is a bare list
  byway.keys.update({ key: { hash: 'x' }, updateMask: ['name'] });
  // @ts-expect-error a bare list for one that may be absent
  byway.byok.create({ provider: 'a', key: 'k', allowedModels: ['m'] });
  // @ts-expect-error an object for a credential, which is a text
  byway.byok.create({ provider: 'a', key: { apiKey: 'k' } });
  // @ts-expect-error content without its form
  byway.chat.create({ chat: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] } });
  // @ts-expect-error the request without its chat around it
  byway.chat.create({ model: 'm' });
  // @ts-expect-error an answer in one piece is no stream
  for await (const chunk of byway.chat.create({ chat: {} })) String(chunk);
  // @ts-expect-error a stream is no answer in one piece
  byway.chat.stream({ chat: {} }).then(String);
  // @ts-expect-error a member that an answer lacks
  (await byway.models.list({})).rows;
  // @ts-expect-error an optional member taken for one that is always there
  (await byway.keys.get({ hash: 'x' })).data.name;
  // @ts-expect-error a signal that is none
  byway.routing.explain({ model: 'm' }, { signal: 'stop' });
}
