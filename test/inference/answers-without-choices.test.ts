import { describe, expect, it } from 'vitest';
import type { UpstreamAdapter, UpstreamAnswer } from '../../src/inference/ports/adapter.js';
import { bench, chatRequest, sharedAttempt } from '../support/chat.js';

const TOLD = { choices: [], usage: { promptTokens: 3, completionTokens: 0 }, systemFingerprint: null };

function answering(answer: UpstreamAnswer) {
  const complete: UpstreamAdapter['complete'] = async ({ onFirstByte }) => {
    onFirstByte();
    return answer;
  };
  const stream = () => {
    throw new Error('answers in one piece');
  };
  return bench([sharedAttempt('echo')], { adapters: new Map([['demo', { complete, stream }]]) });
}

describe('an answer without choices', () => {
  it('is none to a chat', async () => {
    const { chat } = answering({ format: 'chat', ...TOLD });
    await expect(chat.complete(chatRequest())).rejects.toMatchObject({ reason: 'upstream_failed' });
  });

  it('is one in a format of its own, which need not have any, and is charged by its counts', async () => {
    const { chat, generations } = answering({
      format: 'messages',
      native: { vectors: [1] },
      normalized: TOLD,
    });
    await chat.complete(chatRequest());
    expect(generations).toMatchObject([
      { status: 'ok', promptTokens: 3, completionTokens: 0, countedBy: 'provider' },
    ]);
  });
});
