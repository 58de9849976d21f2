import { describe, expect, it } from 'vitest';
import { LENIENT_CHAT } from '../../src/catalog/chat-contract.js';
import { NOTHING_REACHED } from '../../src/formats/shared-capacity/reach.js';
import { RequestUses } from '../../src/formats/shared-capacity/uses.js';
import { refusal } from '../../src/routing/router/refusal.js';
import {
  endpoint,
  type InputOverrides,
  input,
  model,
  NO_CONTRACTS,
  provider,
  shared,
  wholeChainOf,
} from './contexts.js';

/** The sentence for a request that shared capacity alone could serve. */
function messageOf(overrides: InputOverrides): string {
  const endpoints = [endpoint('openai', { id: 'openai/test/m', modelId: 'test/m' })];
  const providers = new Map([['openai', provider('openai', { name: 'OpenAI' })]]);
  const given = input(endpoints, { providers, sharedProviders: shared('openai'), ...overrides });
  const chain = wholeChainOf([model(endpoints, 'test/m')], given);
  expect(chain.attempts).toEqual([]);
  const payment = { plan: 'pay_as_you_go', at: 0 } as const;
  return refusal(chain, payment, { workspaceName: 'Default', baseUrl: 'https://gw.test' }).message;
}

describe('what is not sent', () => {
  it('over shared capacity alone goes with an own key', () => {
    const file = { field: 'messages[0].content[0].file.file_id', name: 'file_id', value: 'file-1' };
    const message = messageOf({
      reach: () => ({ ...NOTHING_REACHED, owned: [file] }),
    });
    expect(message).toMatch(/^Over shared capacity .*: leave it out, or add a key for /);
  });

  it('since its host does not take it, goes with no key', () => {
    const tools = [{}, {}, {}];
    const takesTwo = { ...NO_CONTRACTS.openai, chat: () => ({ ...LENIENT_CHAT, maxTools: 2 }) };
    const message = messageOf({
      uses: new RequestUses({ messages: [], tools }),
      contracts: { ...NO_CONTRACTS, openai: takesTwo },
    });
    expect(message).toContain('tools');
    expect(message).not.toContain('add a key');
  });
});
