import { create } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { ListModelsResponseSchema } from '../../gen/byway/v1/models_pb.js';
import { AnswerCache, type Renderer } from '../../src/rest/answer-cache.js';

const KIB = 1024;

/** Serialises to so many bytes, and counts how often it has to. */
function renderer(bytes: number): Renderer & { count: number } {
  return {
    contentType: 'text/plain',
    count: 0,
    serialize() {
      this.count += 1;
      return Buffer.alloc(bytes, 'a');
    },
  };
}

const message = () => create(ListModelsResponseSchema);

it('an answer is serialised once for each of its forms, and another object is another answer', () => {
  const cache = new AnswerCache();
  const [one, other] = [message(), message()];
  const [json, binary] = [renderer(10), renderer(20)];
  const first = cache.rendered(one, json);
  expect(cache.rendered(one, json)).toBe(first);
  expect(cache.rendered(one, binary)).not.toBe(first);
  expect(cache.rendered(other, json)).not.toBe(first);
  expect([json.count, binary.count]).toEqual([2, 1]);
  expect(cache).toMatchObject({ hits: 1, misses: 3, bytes: 40 });
});

it('never holds more bytes than its bound, and keeps the answers that were used last', () => {
  const cache = new AnswerCache(100 * KIB);
  const plain = renderer(10 * KIB);
  const messages = Array.from({ length: 50 }, message);
  const [used] = messages;
  for (const one of messages) {
    cache.rendered(one, plain);
    if (used !== undefined) cache.rendered(used, plain);
    expect(cache.bytes).toBeLessThanOrEqual(100 * KIB);
  }
  expect(plain.count).toBe(messages.length);
  for (const one of messages.slice(1, 10)) cache.rendered(one, plain);
  expect(plain.count).toBe(messages.length + 9);
});

it('an answer that is larger than the bound is given, and not held', () => {
  const cache = new AnswerCache(10 * KIB);
  const large = renderer(20 * KIB);
  expect(cache.rendered(message(), large).bytes).toHaveLength(20 * KIB);
  expect(cache.bytes).toBe(0);
});

it('compressed bytes are made once, and count', async () => {
  const cache = new AnswerCache();
  const rendered = cache.rendered(message(), renderer(64 * KIB));
  const [first, second] = await Promise.all([rendered.gzipped(), rendered.gzipped()]);
  expect(first).toBe(second);
  expect(cache.bytes).toBe(64 * KIB + first.length);
});
