import { expect } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import type { FakePlan } from '../../support/fakes/fake-anthropic/plan.js';
import { FAKE_API_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { startGateway, type TestGatewayOptions } from '../../support/gateway.js';
import { caller, type Row } from '../../support/rest.js';

/** The model's id at Anthropic. */
export const UPSTREAM = 'claude-sonnet-4-6';

/** A model that two Anthropics serve, and one that only the demo provider does, which speaks no Messages. */
export const CLAUDE = 'anthropic/claude-sonnet-4.6';
const DEMO = 'demo/echo';

export const HELLO = { max_tokens: 64, messages: [{ role: 'user', content: 'Hello there' }] };

const PRICES = { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' };

/** A gateway in front of two fake Anthropics, `first` and `second`, with keys of the account for both. */
export async function startMessages(
  plans: readonly FakePlan[] = [{}],
  { prices = PRICES, ...options }: Omit<TestGatewayOptions, 'catalog'> & { readonly prices?: object } = {},
) {
  const fakes = await Promise.all(plans.map(() => startFakeAnthropic()));
  const slugs = ['first', 'second'].slice(0, plans.length);
  const gateway = await startGateway({
    ...options,
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', ...options.env },
    catalog: {
      providers: [
        ...slugs.map((slug, index) => ({
          slug,
          name: slug,
          adapter: 'anthropic',
          base_url: fakes[index]?.baseUrl ?? '',
        })),
        { slug: 'demo', name: 'Demo', adapter: 'demo' },
      ],
      models: [
        demoModel(
          CLAUDE,
          slugs.map((provider) => ({ provider, upstream_model_id: UPSTREAM, pricing: prices })),
        ),
        demoModel(DEMO, [{ provider: 'demo', upstream_model_id: 'echo', pricing: PRICES }]),
      ],
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  for (const [index, slug] of slugs.entries()) {
    fakes[index]?.plan(UPSTREAM, plans[index] ?? {});
    expect((await manage('POST', '/byok', { provider: slug, key: FAKE_API_KEY })).status).toBe(201);
  }
  const use = caller(gateway, gateway.apiKey);
  return { gateway, fakes, manage, use };
}

/** The events of a stream, whose names are their types. */
export function eventsIn(text: string): Row[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/s.exec(block) ?? [];
      const event: Row = JSON.parse(data);
      expect(name).toBe(event.type);
      return event;
    });
}

/** All text of a streamed answer. */
export function textIn(events: readonly Row[]): string {
  return events.map(({ delta }) => String((delta as Row | undefined)?.text ?? '')).join('');
}
