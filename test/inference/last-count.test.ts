import { describe, expect, it } from 'vitest';
import type { UpstreamEvent } from '../../src/inference/ports/adapter.js';
import { bench, chatRequest, drain, finish, scriptedAdapter, sharedAttempt, word } from '../support/chat.js';

function scriptedBench(events: readonly UpstreamEvent[]) {
  const { adapter } = scriptedAdapter(events);
  return bench([sharedAttempt('echo')], { adapters: new Map([['demo', adapter]]) });
}

const usage = (promptTokens: number, completionTokens: number): UpstreamEvent => ({
  type: 'usage',
  usage: { promptTokens, completionTokens },
});

describe('a complete stream', () => {
  it('is charged for what came after the last count, where none comes at its end', async () => {
    const { chat, generations } = scriptedBench([usage(7, 1), word('a'.repeat(400)), finish()]);
    const { chunks } = await drain(chat.stream(chatRequest()));
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 101 });
    expect(generations).toMatchObject([{ countedBy: 'estimate', completionTokens: 101 }]);
  });

  it('keeps a last count of 0, whatever came before it', async () => {
    const { chat, generations } = scriptedBench([word('a'.repeat(400)), finish(), usage(0, 0)]);
    await drain(chat.stream(chatRequest()));
    expect(generations).toMatchObject([{ countedBy: 'provider', promptTokens: 0, completionTokens: 0 }]);
  });
});
