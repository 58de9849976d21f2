import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownSizeViolations } from '../../../src/formats/answer-size.js';
import type { JsonObject } from '../../../src/formats/json.js';
import { PLATFORMS, type Platform } from '../../support/platforms.js';
import { ask, CLAUDES, HELLO, onBothCapacities } from './shared.fixture.js';

const { shared, own } = onBothCapacities();

/** Members that cost otherwise, or reach something, and that an answer is the same without. */
const LEFT_OUT: Readonly<Record<string, unknown>> = {
  store: true,
  prompt_cache_retention: '24h',
  performanceConfig: { latency: 'optimized' },
  user_security_context: { end_user_id: 'u' },
  provider_options: { a: { b: 1 } },
  anything_new: { deep: [{ er: true }] },
};

const FUNCTION = { type: 'function', function: { name: 'f', parameters: { type: 'object', labels: {} } } };

/** Places of a chat, each with a member that nobody knows. */
const NESTED: Readonly<Record<string, object>> = {
  'messages.qx': { messages: [{ ...HELLO[0], qx: 1 }] },
  'messages.content.qx': { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', qx: 1 }] }] },
  'tools.qx': { tools: [{ ...FUNCTION, qx: 1 }] },
  'tools.function.qx': { tools: [{ ...FUNCTION, function: { ...FUNCTION.function, qx: 1 } }] },
  'stream_options.qx': { stream: true, stream_options: { qx: 1 } },
  'reasoning.qx': { reasoning: { effort: 'low', qx: 1 } },
  'response_format.qx': { response_format: { type: 'json_object', qx: 1 } },
};

describe.each(PLATFORMS)('a chat over shared capacity of $slug', (platform) => {
  it.each(Object.entries(LEFT_OUT))('is sent without %s, and its record says so', async (name, value) => {
    for (const stream of [false, true]) {
      const { answer, sent, record, adapted } = await ask(shared(), platform, '/chat/completions', {
        [name]: value,
        stream,
      });
      expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
      expect(JSON.stringify(sent)).not.toContain(`"${name}"`);
      expect(record?.omitted).toEqual([name]);
      expect(adapted).toEqual([name]);
    }
  });

  it.each(Object.entries(NESTED))('is sent without %s', async (path, more) => {
    const { answer, sent, record } = await ask(shared(), platform, '/chat/completions', more);
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    expect(JSON.stringify(sent)).not.toContain('"qx"');
    expect(record?.omitted).toContain(path);
  });

  it('is sent whole where it has nothing else, schemas and arguments as they are', async () => {
    const { answer, record, adapted } = await ask(shared(), platform, '/chat/completions', {
      tools: [FUNCTION],
      temperature: 0.5,
    });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    expect(record?.omitted).toEqual([]);
    expect(adapted).toBeNull();
  });
});

it('with a key of the account members of a provider’s own API pass', async () => {
  const platform = platformOf('bedrock-key');
  const more = { performanceConfig: { latency: 'optimized' }, serviceTier: { type: 'priority' } };
  const { sent, record } = await ask(own(), platform, '/chat/completions', more);
  expect(sent).toMatchObject(more);
  expect(record?.omitted).toEqual([]);
});

describe('what is inside of a provider’s own members', () => {
  it('of `generation_config` only what tunes an answer is sent to Gemini', async () => {
    const config = { temperature: 0.1, mediaResolution: 'MEDIA_RESOLUTION_LOW' };
    const { sent, record } = await ask(shared(), platformOf('vertex-gemini'), '/chat/completions', {
      generation_config: {
        ...config,
        max_output_tokens: 65_536,
        candidateCount: 8,
        enable_affective_dialog: true,
      },
    });
    expect(sent?.generationConfig).toMatchObject({ temperature: 0.1, maxOutputTokens: 4000 });
    expect(JSON.stringify(sent)).not.toMatch(/65536|candidateCount|affective/);
    expect(record?.omitted).toEqual([
      'generation_config.max_output_tokens',
      'generation_config.candidateCount',
      'generation_config.enable_affective_dialog',
    ]);
  });

  it('of `additionalModelRequestFields` only what tunes an answer is sent to Amazon', async () => {
    const { sent, record } = await ask(shared(), platformOf('bedrock-key'), '/chat/completions', {
      additionalModelRequestFields: { top_k: 5, max_tokens: 9999, anthropic_beta: ['fast-mode-2026-02-01'] },
    });
    expect(sent?.additionalModelRequestFields).toEqual({ top_k: 5 });
    expect(record?.omitted).toEqual([
      'additionalModelRequestFields.max_tokens',
      'additionalModelRequestFields.anthropic_beta',
    ]);
  });

  it('edits that only forget, and no others, are sent to Anthropic', async () => {
    const context_management = { edits: [{ type: 'clear_tool_uses_20250919' }] };
    const { sent } = await ask(shared(), platformOf('anthropic'), '/chat/completions', {
      context_management,
      betas: ['context-management-2025-06-27'],
    });
    expect(sent?.context_management).toEqual(context_management);
  });
});

describe.each(CLAUDES)('a request to Messages over shared capacity of $slug', (platform) => {
  /** What Claude Code sends with every request. */
  const CLAUDE_CODE = {
    system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    metadata: { user_id: 'user_1_account__session_2' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    tools: [
      { name: 'Read', description: 'Reads', input_schema: { type: 'object', properties: { container: {} } } },
    ],
  };
  const BETAS = ['claude-code-20250219', 'context-management-2025-06-27'];

  it('is sent whole where it is what Claude Code sends', async () => {
    const { answer, sent, record } = await ask(shared(), platform, '/messages', CLAUDE_CODE, {
      'anthropic-beta': BETAS.join(','),
    });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    const { metadata, ...rest } = CLAUDE_CODE;
    expect(sent).toMatchObject(platform.adapter === 'amazon-bedrock' ? rest : { ...rest, metadata });
    // Bedrock has no such member.
    const omitted = platform.adapter === 'amazon-bedrock' ? ['metadata'] : [];
    expect(record).toMatchObject({ lane: 'native', omitted });
  });

  it('is sent without speeds that its host has not, and what is new, and its record says so', async () => {
    const more = {
      // Where the host has them they need a price.
      ...(platform.adapter !== 'anthropic' && { speed: 'fast' }),
      diagnostics: { previous_message_id: 'm' },
      qx: 1,
    };
    const betas = ['files-api-2025-04-14', 'one-2026-01-01', ...BETAS];
    const asked = await ask(shared(), platform, '/messages', more, { 'anthropic-beta': betas.join(',') });
    expect([asked.answer.status, asked.answer.text]).toEqual([200, expect.anything()]);
    for (const name of Object.keys(more)) expect(asked.sent).not.toHaveProperty(name);
    expect(JSON.stringify([asked.sent, asked.headers['anthropic-beta']])).not.toMatch(/files-api|one-2026/);
    const named = ['anthropic-beta:files-api-2025-04-14', 'anthropic-beta:one-2026-01-01'];
    expect(new Set(asked.record?.omitted as string[])).toEqual(new Set([...named, ...Object.keys(more)]));
  });

  it('is not served anywhere where it names a place', async () => {
    const { answer, sent } = await ask(shared(), platform, '/messages', { inference_geo: 'us' });
    expect([answer.status, sent, answer.text]).toEqual([
      expect.toSatisfy((status) => status >= 400),
      undefined,
      expect.stringContaining('inference_geo'),
    ]);
    const anywhere = await ask(shared(), platform, '/messages', { inference_geo: 'Global' });
    expect(anywhere.answer.status).toBe(200);
  });
});

it('a Messages request that is translated names what it is sent without as its client does', async () => {
  const { sent, record } = await ask(shared(), platformOf('vertex-open'), '/messages', { speed: 'fast' });
  expect(sent).not.toHaveProperty('service_tier');
  expect(record).toMatchObject({ lane: 'translated', omitted: ['speed'] });
});

it.each(PLATFORMS)(
  'only a text asks $slug for a mode over shared capacity: anything else is left out and named',
  async (platform) => {
    for (const stream of [false, true]) {
      for (const value of [['priority'], 5, true, { type: 'priority' }]) {
        const more = { service_tier: value, speed: ['fast'], stream };
        const { answer, sent, record } = await ask(shared(), platform, '/chat/completions', more);
        expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
        for (const name of ['service_tier', 'serviceTier', 'speed']) expect(sent).not.toHaveProperty(name);
        expect(record?.omitted).toContain('service_tier');
        expect(record).toMatchObject({ price_mode: null, unpriced: [] });
      }
    }
  },
);

it('where the host has no word for a tier, it is left out and named', async () => {
  for (const slug of ['vertex-open', 'vertex-claude', 'anthropic']) {
    for (const gateway of [shared(), own()]) {
      const more = { service_tier: 'flex' };
      const { sent, record } = await ask(gateway, platformOf(slug), '/chat/completions', more);
      expect(sent).not.toHaveProperty('service_tier');
      expect(record).toMatchObject({ omitted: ['service_tier'], unpriced: [] });
    }
  }
});

it('with `require_parameters` a host without a word for the tier is excluded', async () => {
  const body = {
    model: 'vertex-open/m',
    messages: HELLO,
    service_tier: 'flex',
    provider: { require_parameters: true },
  };
  const { status, text } = await own().use('POST', '/chat/completions', body);
  expect([status, text]).toEqual([404, expect.stringContaining('has no word for service_tier')]);
});

it('counting tokens over shared capacity sends nothing more', async () => {
  const platform = platformOf('anthropic');
  const { requests } = shared().fakes.anthropic;
  const before = requests.length;
  await shared().use('POST', '/messages/count_tokens', {
    model: 'anthropic/m',
    messages: HELLO,
    service_tier: 'standard_only',
    qx: 1,
  });
  const [request] = requests.slice(before);
  expect(request?.body).toEqual({ model: expect.stringContaining(platform.slug), messages: HELLO });
});

describe('a member that nobody knows, anywhere in a request', () => {
  const MARK = 'zz_unknown';

  /** A request of everything that has objects in it. */
  const CHAT = {
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] },
      {
        role: 'assistant',
        content: 'Let me look',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'Found' }] },
      { role: 'user', content: 'And now?' },
    ],
    tools: [{ type: 'function', function: { name: 'f', description: 'd' } }],
    tool_choice: 'auto',
    reasoning: { enabled: false },
    response_format: { type: 'text' },
  };

  const placed = fc
    .tuple(fc.nat(1000), fc.anything({ maxDepth: 2 }).map(jsonOf).filter(isUnknown))
    .map(([position, value]) => withMember(CHAT, position, MARK, value));

  it.each(PLATFORMS)('never reaches $slug', async (platform) => {
    await fc.assert(
      fc.asyncProperty(placed, fc.boolean(), async (more, stream) => {
        const { answer, sent } = await ask(shared(), platform, '/chat/completions', { ...more, stream });
        // The contract has closed objects of its own.
        const isClosed = answer.text.includes('unknown member');
        expect([answer.status, answer.text]).toEqual([isClosed ? 400 : 200, expect.anything()]);
        expect(JSON.stringify(sent ?? {})).not.toContain(MARK);
      }),
      { numRuns: 12 },
    );
  });
});

/** Without names such as `n`, which are known wherever they stand. */
function isUnknown(value: unknown): boolean {
  return ownSizeViolations({ zz_unknown: value } as JsonObject).length === 0;
}

function jsonOf(value: unknown): unknown {
  const text = JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner));
  return text === undefined ? 1 : (JSON.parse(text) ?? 1);
}

/** The value with a member more in one of the objects in it. */
function withMember(value: object, position: number, name: string, member: unknown): object {
  const copy = structuredClone(value);
  const objects: Record<string, unknown>[] = [];
  const collect = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return;
    if (!Array.isArray(one)) objects.push(one as Record<string, unknown>);
    for (const inner of Object.values(one)) collect(inner);
  };
  collect(copy);
  const object = objects[position % objects.length];
  if (object !== undefined) object[name] = member;
  return copy;
}

function platformOf(slug: string): Platform {
  const platform = PLATFORMS.find((known) => known.slug === slug);
  if (platform === undefined) throw new Error(`there is no platform ${slug}`);
  return platform;
}
