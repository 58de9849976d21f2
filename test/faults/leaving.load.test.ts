/**
 * Every way in which a client leaves, over every transport, before a provider that never answers: the attempt ends at once, and
 * the record says that the client has left.
 */
import { expect, it, vi } from 'vitest';
import {
  CALLS,
  originOf,
  SCHEMES,
  settingsOf,
  TRANSPORTS,
  type Transport,
  VERSIONS,
  type Version,
} from '../support/clients/calls.js';
import { ANY_GENERATION } from '../support/generations.js';
import { expectSettled } from '../support/money.js';
import { type ProvidersGateway, startProviders, TOKEN_USD } from '../support/providers.js';

/** The promise to whoever pays the provider. */
const MAX_ABORT_MS = 1_000;

/** Long enough for the request to reach the provider first. */
const DEADLINE_MS = 400;

const WAYS = ['cancel', 'lose', 'goAway', 'deadline'] as const;
type Way = (typeof WAYS)[number];

/** Why a cell of the matrix is empty; undefined where it is not. */
function absence(transport: Transport, version: Version, way: Way): string | undefined {
  if (version === 'HTTP/1.1' && transport === 'gRPC') return 'gRPC needs the trailers of HTTP/2';
  if (version === 'HTTP/1.1' && way === 'goAway') return 'HTTP/1.1 has no GOAWAY';
  const hasDeadlines = !['REST', 'Messages', 'Responses'].includes(transport);
  return way === 'deadline' && !hasDeadlines ? 'its deadlines are the client’s own: it cancels' : undefined;
}

/** What the provider does, by whether the answer is streamed; who is recorded, and what is charged, when the client leaves then. */
const SILENCES = [
  { isStreamed: false, plan: { delayMs: 60_000 }, provider: null, tokens: 0 },
  { isStreamed: true, plan: { delayMs: 60_000 }, provider: null, tokens: 0 },
  // The role, without content.
  { isStreamed: true, plan: { stallAfter: 1 }, provider: 'alpha', tokens: 0 },
  // Two words, one of which has a character of two bytes.
  {
    isStreamed: true,
    plan: { stallAfter: 3 },
    provider: 'alpha',
    tokens: Math.ceil('Grüezi mitenand'.length / 4 + 0.6),
  },
];

/** Each capacity is left over each transport that has both versions. */
const PAID_BY = { 'HTTP/1.1': 'BYOK keys', 'HTTP/2': 'shared capacity' } as const;

const WAIT = { timeout: 5_000, interval: 5 };

const CELLS = SCHEMES.flatMap((scheme) =>
  TRANSPORTS.flatMap((transport) =>
    (Object.keys(VERSIONS) as Version[]).flatMap((version) =>
      WAYS.map((way) => ({ scheme, transport, version, way, absence: absence(transport, version, way) })),
    ),
  ),
);

it('has no empty cell without a reason', () => {
  const empty = CELLS.flatMap(({ absence }) => absence ?? []);
  expect(
    Object.fromEntries([...new Set(empty)].map((why) => [why, empty.filter((one) => one === why).length])),
  ).toEqual({
    'HTTP/1.1 has no GOAWAY': 10,
    'its deadlines are the client’s own: it cancels': 12,
    'gRPC needs the trailers of HTTP/2': 8,
  });
  expect(CELLS.length - empty.length).toBe(66);
});

it.each(CELLS.filter((cell) => cell.absence === undefined))(
  'a client that leaves over $scheme, $transport, $version by $way ends the attempt at once, and the record says so',
  async ({ scheme, transport, version, way }) => {
    const gateway = await startProviders(scheme === 'http' ? PAID_BY[version] : 'shared capacity', {
      // What is finished without its client: test/endpoint/leaving.
      env: { ...settingsOf(scheme), BYWAY_ON_DISCONNECT: 'cancel' },
    });
    const send = VERSIONS[version];
    const { alpha } = gateway;
    const origin = originOf(scheme, gateway.url);
    for (const [index, { isStreamed, plan }] of SILENCES.entries()) {
      alpha.plan('m', plan);
      const call = CALLS[transport](isStreamed, way === 'deadline' ? DEADLINE_MS : undefined);
      const sent = send(origin, call, gateway.apiKey);
      await vi.waitFor(() => expect(alpha.requests).toHaveLength(index + 1), WAIT);
      if (way !== 'deadline') sent[way]?.();
      const timeout = MAX_ABORT_MS + (way === 'deadline' ? DEADLINE_MS : 0);
      await vi.waitFor(() => expect([plan, alpha.aborts]).toEqual([plan, index + 1]), {
        timeout,
        interval: 5,
      });
      await vi.waitFor(
        async () => expect(await endsOf(gateway)).toEqual(SILENCES.slice(0, index + 1).map(endOf)),
        WAIT,
      );
      sent.lose();
    }
    await expectSettled(gateway);
  },
);

interface End {
  readonly status: string;
  readonly provider: string | null;
  readonly tokens: number;
  readonly nanoUsd: bigint;
}

/** How the generations have ended, oldest first, and what they cost, whoever pays. */
async function endsOf({ gateway, accountId }: ProvidersGateway): Promise<End[]> {
  const { generations } = await gateway.stores.generations.list(accountId, ANY_GENERATION, FIRST_PAGE);
  return generations
    .map(
      ({ status, provider, completionTokens: tokens, usageNanoUsd, upstreamInferenceCostNanoUsd: cost }) => ({
        ...{ status, provider, tokens },
        nanoUsd: cost ?? usageNanoUsd,
      }),
    )
    .reverse();
}

function endOf({ provider, tokens }: (typeof SILENCES)[number]): End {
  return {
    status: 'cancelled',
    provider,
    tokens,
    nanoUsd: BigInt(Math.round(tokens * TOKEN_USD.alpha * 1e9)),
  };
}

const FIRST_PAGE = { offset: 0, limit: 10, after: null };
