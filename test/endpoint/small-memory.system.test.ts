/**
 * The built server with the heap and the memory that the manifests give it, against the largest requests of every shape
 * that nests: whatever one account sends, others are answered.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nestedShapes } from '../bench/worst/nested-shapes.js';
import { send } from '../bench/worst/request.js';
import type { Shape } from '../bench/worst/shape.js';
import { type Sink, type SinkSlug, sinkCatalog, startSink } from '../bench/worst/sink.js';
import { addSinkKeys } from '../bench/worst/sink-gateway.js';
import { SmallServer } from '../support/small-server.js';

/** By the provider that has to do most with them. */
const SHAPES: Readonly<Partial<Record<SinkSlug, RegExp>>> = {
  openai:
    /Messages .*(?:mark of|marks|results of lists|input of texts|name of the user)|strict schema of values/,
  anthropic: /arguments of (?:empty|a text of)|results of lists|long id|format of one long text/,
  bedrock:
    /arguments of (?:empty|objects)|files of one name|long name of a file|data URL|again and again|in 100 parts/,
  gemini: /result of (?:empty|objects|a text of)|signature|call with a long name|no base64/,
  'vertex-claude': /arguments of lists|again and again|in 100 parts/,
  'claude-native': /Messages .*(?:mark of|marks)/,
};

let sink: Sink;
let small: SmallServer;

beforeAll(async () => {
  sink = await startSink();
  small = await SmallServer.start(sinkCatalog(sink));
  await addSinkKeys(small.origin, small.server.managementKey, sink);
});

afterAll(async () => {
  await small.stop();
  await sink.close();
});

function ask(shape: Shape, count = shape.maxCount): Promise<string> {
  return send(small.origin, shape.make(count), small.authorization);
}

/** The sink refuses whatever reaches it, and so does the gateway what goes too far: an answer, whichever it is. */
const ANSWERED = /^(?:400|413|502)$/;

describe.each(Object.entries(SHAPES))('the largest requests to %s', (slug, chosen) => {
  it('are answered one after the other, and so is everybody else', async () => {
    const shapes = nestedShapes(slug as SinkSlug, sink).filter(({ name }) => chosen.test(name));
    expect(shapes.length).toBeGreaterThan(1);
    const received = sink.received();
    for (const shape of shapes) {
      const answer = await small.watch(shape.name, () => ask(shape));
      expect([shape.name, answer]).toEqual([shape.name, expect.stringMatching(ANSWERED)]);
      await small.expectAlive(shape.name);
    }
    expect(sink.received()).toBeGreaterThan(received);
    small.expectSmall();
  }, 120_000);
});

it.each([
  ['openai', /unsigned mark of objects/],
  ['bedrock', /arguments of empty lists/],
  ['gemini', /a result of objects in objects/],
  ['bedrock', /one large image again and again/],
] as const)(
  'four at once are answered, to %s: %s',
  async (slug, chosen) => {
    const shape = nestedShapes(slug, sink).find(({ name }) => chosen.test(name));
    if (shape === undefined) throw new Error('no such shape');
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask(shape)));
    expect(answers).toEqual(answers.map(() => expect.stringMatching(ANSWERED)));
    await small.expectAlive();
  },
  120_000,
);
