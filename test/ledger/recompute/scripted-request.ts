/** One request of a sequence, and the scripted provider that answers it. */

import { pushed } from '../../../src/base/push-stream.js';
import type { ByokKey } from '../../../src/byok/types.js';
import type { Pricing } from '../../../src/catalog/types.js';
import type { Usage } from '../../../src/formats/chat/types.js';
import type { GivenMode } from '../../../src/formats/modes/served-mode.js';
import type { UpstreamAdapter, UpstreamEvent } from '../../../src/inference/ports/adapter.js';
import { UpstreamFailure } from '../../../src/inference/ports/failure.js';
import type { Metered } from '../../../src/ledger/pricing/price.js';
import type { Attempt } from '../../../src/routing/types.js';
import { byokAttempt, chatRequest, demoEndpoint, finish, sharedAttempt, word } from '../../support/chat.js';
import type { Payer, World } from './world.js';

/** A request and everything that its price depends on. */
export interface Case {
  readonly id: string;
  readonly payer: Payer;
  readonly model: string;
  readonly pricing: Pricing;
  readonly metered: Metered;
  /** The mode that is asked for, and what the answer says of it. */
  readonly asks: GivenMode;
  readonly gives: GivenMode;
  readonly byokKeyId: string | null;
  readonly isStreamed: boolean;
  readonly fails: boolean;
  readonly startedAt: number;
  /** How far the clock advances while the provider works. */
  readonly durationMs: number;
  /** The provider answers once this resolves. */
  readonly released: Promise<void>;
}

/** The usage in the answer, or the error. */
export type Answer = { readonly usage: Usage } | { readonly refused: unknown };

/** Sends the request and reads the whole answer. */
export async function send({ chat }: World, { id, payer, isStreamed, asks }: Case): Promise<Answer> {
  const { account, ...ids } = payer;
  const base = chatRequest({ user: id, ...asks });
  const caller = { ...base.caller, ...ids, accountId: account.id, plan: account.plan };
  const request = { ...base, requestId: id, caller };
  try {
    if (!isStreamed) return { usage: (await chat.complete(request)).usage };
    let usage: Usage | undefined;
    for await (const chunk of chat.stream(request)) usage = chunk.usage ?? usage;
    return usage === undefined ? { refused: 'a stream without usage' } : { usage };
  } catch (thrown) {
    return { refused: thrown };
  }
}

/** The only attempt of the request. */
export function attemptOf({ model, pricing, byokKeyId }: Case): Attempt {
  const endpoint = demoEndpoint('echo', { modelId: model, pricing });
  const { key } = byokAttempt('x');
  if (byokKeyId === null || key === null) return sharedAttempt('echo', { endpoint });
  const own: ByokKey = { ...key, id: byokKeyId };
  return sharedAttempt('echo', { endpoint, key: own, section: 'prioritized' });
}

/** A provider that reports the scripted usage, or fails, once it is released. */
export function adapterOf(
  { clock }: World,
  { metered, gives, fails, durationMs, released }: Case,
): UpstreamAdapter {
  const work = async () => {
    await released;
    clock.nowMs += durationMs;
    if (fails) throw new UpstreamFailure('broken', { kind: 'upstream_error', status: 500 });
  };
  return {
    async complete(call) {
      await work();
      call.onFirstByte();
      const message = { role: 'assistant', content: 'Hello', refusal: null } as const;
      const choice = {
        index: 0,
        message,
        finish_reason: 'stop',
        native_finish_reason: null,
        logprobs: null,
      } as const;
      return { format: 'chat', choices: [choice], usage: metered, systemFingerprint: null, mode: gives };
    },
    stream(call) {
      const play = async function* (): AsyncGenerator<UpstreamEvent> {
        await work();
        call.onFirstByte();
        yield { type: 'mode', mode: gives };
        yield word('Hello');
        yield finish();
        yield { type: 'usage', usage: metered };
      };
      return pushed(play());
    },
  };
}
