/** Clients that leave at every moment of an answer, in every API: what becomes of the answer, and what it costs. */
import { expect, it, vi } from 'vitest';
import { TRANSPORTS, type Transport } from '../../support/clients/calls.js';
import { expectSettled } from '../../support/money.js';
import { CAPACITIES, type Capacity } from '../../support/providers.js';
import {
  type Host,
  type LeavingGateway,
  PRICES,
  PROMPT_TOKENS,
  record,
  send,
  startHost,
  THOUGHTS,
  WORDS,
  written,
} from './hosts.fixture.js';

const PACE_MS = 40;

/** Events of a response before its text: its own two, and the item of its thoughts with what opens and closes it. */
const THOUGHT = 2 + 2 + THOUGHTS.length + 3;

/** After how many pieces of the answer the client leaves, by host. All begin with one without content. */
const MOMENTS: Readonly<Record<string, Readonly<Record<Host, number | null>>>> = {
  'before the first byte': { openai: 0, anthropic: 0, responses: 0 },
  'before the first content': { openai: 1, anthropic: 1, responses: 1 },
  'in reasoning': { openai: 3, anthropic: null, responses: 6 },
  'in text': { openai: 3 + THOUGHTS.length, anthropic: 5, responses: THOUGHT + 4 },
  'after the last word': {
    openai: 1 + THOUGHTS.length + WORDS.length + 1,
    anthropic: 3 + WORDS.length + 1,
    responses: THOUGHT + 2 + WORDS.length + 1,
  },
  'after the usage': {
    openai: 1 + THOUGHTS.length + WORDS.length + 2,
    anthropic: 3 + WORDS.length + 2,
    // It comes with the last event.
    responses: null,
  },
};

/** What the provider counts of the whole answer. */
function countOf(host: Host) {
  return { prompt: PROMPT_TOKENS, completion: WORDS.length + (host === 'anthropic' ? 0 : THOUGHTS.length) };
}

/** Where no chats are taken, APIs differ, transports do not. */
function hostsOver(transport: Transport): readonly Host[] {
  const apis: readonly Transport[] = ['REST', 'Messages', 'Responses'];
  return ['openai', 'anthropic', ...(apis.includes(transport) ? (['responses'] as const) : [])];
}

const CELLS = TRANSPORTS.flatMap((transport) =>
  hostsOver(transport).flatMap((host) => CAPACITIES.map((capacity) => ({ transport, host, capacity }))),
);

it.each(CELLS)(
  'a client that leaves over $transport, at $host, on $capacity, at any moment: finished or cut, and never free',
  async ({ transport, host, capacity }) => {
    const gateway = await startHost(host, capacity);
    let count = 0;
    for (const [moment, { [host]: pieces }] of Object.entries(MOMENTS)) {
      if (pieces === null) continue;
      const left = await leaveAt(gateway, transport, true, pieces);
      count += 1;
      const row = await record(gateway, count);
      expectCharged({ moment, row, gateway, capacity, isStreamed: true, told: toldAt(host, moment) });
      left.lose();
    }
    const left = await leaveAt(gateway, transport, false, 0);
    const row = await record(gateway, count + 1);
    expectCharged({ moment: 'before the first byte', row, gateway, capacity, isStreamed: false, told: null });
    left.lose();
    await expectSettled(gateway);
  },
);

async function leaveAt(gateway: LeavingGateway, transport: Transport, isStreamed: boolean, pieces: number) {
  const { fake } = gateway;
  const before = fake.requests.length;
  gateway.plan(pieces === 0 ? { delayMs: 250 } : { paceMs: PACE_MS });
  const reached = written(gateway, pieces);
  const sent = send(gateway, transport, isStreamed);
  await vi.waitFor(() => expect(fake.requests).toHaveLength(before + 1), { interval: 2, timeout: 5_000 });
  await reached;
  if (pieces === 0) await new Promise((resolve) => setTimeout(resolve, 60));
  sent.cancel();
  return sent;
}

/** What the provider had told when the client left; null = nothing. */
function toldAt(host: Host, moment: string) {
  if (moment === 'after the usage') return countOf(host);
  return host === 'anthropic' && moment !== 'before the first byte'
    ? { prompt: PROMPT_TOKENS, completion: 0 }
    : null;
}

interface Cell {
  readonly moment: string;
  readonly row: Record<string, unknown>;
  readonly gateway: LeavingGateway;
  readonly capacity: Capacity;
  readonly isStreamed: boolean;
  readonly told: { readonly prompt: number; readonly completion: number } | null;
}

function expectCharged({ moment, row, gateway, capacity, isStreamed, told }: Cell): void {
  const { host } = gateway;
  const { prompt, completion } = countOf(host);
  const cost = (tokens: { prompt: number; completion: number }) =>
    tokens.prompt * PRICES.prompt + tokens.completion * PRICES.completion;
  const at = { moment, isStreamed };
  if (capacity === 'shared capacity') {
    expect({ ...at, ...row }).toMatchObject({
      ...at,
      cancelled: true,
      status: 'cancelled',
      counted_by: 'provider',
      provider: 'host',
      tokens_prompt: prompt,
      tokens_completion: completion,
      usage: expect.closeTo(cost({ prompt, completion }), 9),
      provider_responses: [{ status: 200, error: null }],
    });
    return;
  }
  const charged = Number(row.upstream_inference_cost);
  expect({ ...at, ...row }).toMatchObject({ ...at, cancelled: true, usage: 0 });
  if (moment === 'before the first byte') expect({ ...at, ...row }).toMatchObject({ ...at, provider: null });
  else expect({ ...at, charged }).toEqual({ ...at, charged: expect.toSatisfy((usd: number) => usd > 0) });
  if (told !== null) expect(charged).toBeGreaterThanOrEqual(cost(told) - 1e-9);
}
