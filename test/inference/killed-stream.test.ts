import { describe, expect, it } from 'vitest';
import type { UpstreamEvent } from '../../src/inference/ports/adapter.js';
import type { SentStream, Unsettled } from '../../src/inference/settlement/stream-journal.js';
import { bench, chatRequest, finish, scriptedAdapter, sharedAttempt, word } from '../support/chat.js';

const usage = (promptTokens: number, completionTokens: number): UpstreamEvent => ({
  type: 'usage',
  usage: { promptTokens, completionTokens },
});

describe('what a stream would be charged if its process were killed', () => {
  /** Looks whenever a piece has come; undefined once the stream is not followed any more. */
  async function looks(...events: readonly UpstreamEvent[]): Promise<readonly (Unsettled | undefined)[]> {
    const found: (Unsettled | undefined)[] = [];
    let stream: SentStream | undefined;
    const { adapter } = scriptedAdapter([word('first '), ...events, finish()]);
    const table = bench([sharedAttempt('attempt')], {
      adapters: new Map([['demo', adapter]]),
      journal: {
        follow(followed) {
          stream = followed;
          return () => {
            stream = undefined;
          };
        },
      },
    });
    for await (const _ of table.chat.stream(chatRequest())) {
      found.push(stream?.soFar());
    }
    expect(stream).toBeUndefined();
    return found;
  }

  it('is an estimate of what has come, recorded as a broken answer', async () => {
    const first = (await looks(word('a'.repeat(100)))).find(
      (look) => (look?.generation.completionTokens ?? 0) > 20,
    );
    expect(first?.generation).toMatchObject({
      id: 'gen-1',
      countedBy: 'estimate',
      status: 'ok',
      finishReason: 'error',
      isStreamed: true,
      promptTokens: 4,
      completionTokens: Math.ceil(106 / 4),
    });
    expect(first?.charge?.costNanoUsd).toBeGreaterThan(0n);
  });

  it('keeps what the provider has counted, and estimates what came after it', async () => {
    const first = (await looks(usage(1_234, 50), word('a'.repeat(100)))).find(
      (look) => (look?.generation.completionTokens ?? 0) > 50,
    );
    expect(first?.generation).toMatchObject({ promptTokens: 1_234, completionTokens: 50 + 25 });
  });

  it('is nothing any more once the settlement has begun', async () => {
    expect((await looks()).at(-1)).toBeUndefined();
  });
});
