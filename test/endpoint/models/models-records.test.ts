import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { launchGateway } from '../../support/gateway.js';
import {
  bodyOf,
  type Call,
  caller,
  type Row,
  recordOf,
  refusalOf,
  rowsOf,
  send,
} from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let use: Call;

/** A model with every optional member. */
const FULL = {
  id: 'acme/full',
  canonical_slug: 'acme/full-2026-01',
  hub_model_id: 'Acme/Full',
  name: 'Acme: Full',
  created: 1_767_225_600,
  description: 'Has everything.',
  context_length: 200_000,
  expiration_date: '2099-01-31',
  knowledge_cutoff: '2025-06-01',
  architecture: {
    modality: 'text+image->text',
    input_modalities: ['text', 'image'],
    output_modalities: ['text'],
    instruct_type: 'deepseek-v3.1',
    tokenizer: 'GPT',
  },
  supported_parameters: ['temperature', 'tools'],
  supported_voices: ['anna', 'bert'],
  default_parameters: { temperature: 0.7, top_p: null, top_k: 40 },
  per_request_limits: { prompt_tokens: 1000, completion_tokens: 500 },
  benchmarks: {
    arena_rankings: [{ arena: 'models', category: 'website', elo: 1200.5, win_rate: 61.5 }],
    analysis_index: { intelligence_index: 50.1, coding_index: null, agentic_index: 12 },
  },
  reasoning: {
    mandatory: false,
    default_effort: 'medium',
    default_enabled: true,
    supported_efforts: ['high', 'medium', 'low'],
    supports_max_tokens: true,
  },
  pricing: {
    prompt: '0.000003',
    completion: '0.000015',
    input_cache_read: '0.0000003',
    web_search: '0.01',
    discount: 0.1,
    overrides: [
      { min_prompt_tokens: 128_000, prompt: '0.000006' },
      { utc_start: 2200, utc_end: 600, utc_days: ['saturday', 'sunday'], completion: '0.00001' },
    ],
  },
  endpoints: [
    {
      provider: 'acme',
      upstream_model_id: 'echo',
      max_completion_tokens: 8192,
      is_moderated: true,
      quantization: 'fp8',
    },
  ],
};

const CATALOG = {
  providers: [
    demoProvider('acme', {
      name: 'Acme',
      headquarters: 'NL',
      datacenters: ['NL', 'DE'],
      privacy_policy_url: 'https://acme.example/privacy',
      terms_of_service_url: 'https://acme.example/terms',
      status_page_url: 'https://status.acme.example',
    }),
    demoProvider('b'),
    demoProvider('silent', { data_policy: undefined }),
  ],
  models: [
    FULL,
    {
      id: '~acme/latest',
      name: 'Acme (latest)',
      created: 1_767_225_601,
      alias_target: { slug: 'acme/full' },
    },
    demoModel('acme/spread', [
      {
        provider: 'acme',
        upstream_model_id: 'echo',
        supported_parameters: ['seed', 'stop'],
        context_length: 1000,
      },
      {
        provider: 'b',
        upstream_model_id: 'echo',
        supported_parameters: ['temperature', 'stop'],
        region: 'eu-west-1',
      },
      { provider: 'silent', upstream_model_id: 'echo', status: 'degraded' },
    ]),
    demoModel('acme/off', [{ provider: 'b', upstream_model_id: 'echo', status: 'disabled' }]),
    { id: '~acme/off', name: 'Off', alias_target: { slug: 'acme/off' } },
    demoModel('acme/plain', ['b'], { created: 1_600_000_000, supported_parameters: [] }),
  ],
};

beforeAll(async () => {
  gateway = await launchGateway({ catalog: CATALOG });
  use = caller(gateway, gateway.apiKey);
});
afterAll(() => gateway.stop());

async function listed(id: string): Promise<Row> {
  const row = rowsOf(await use('GET', '/models/user')).find((one) => one.id === id);
  if (row === undefined) throw new Error(`${id} is not listed`);
  return row;
}

describe('a model of the list', () => {
  it('shows everything that the catalogue has of it', async () => {
    const { endpoints: _, benchmarks, ...stored } = FULL;
    expect(await listed('acme/full')).toEqual({
      ...stored,
      default_parameters: {
        frequency_penalty: null,
        presence_penalty: null,
        repetition_penalty: null,
        ...stored.default_parameters,
      },
      benchmarks: {
        ...benchmarks,
        arena_rankings: [{ ...benchmarks.arena_rankings[0], rank: 1 }],
      },
      links: { details: '/api/v1/models/acme/full/endpoints' },
      top_provider: { context_length: 200_000, max_completion_tokens: 8192, is_moderated: true },
      object: 'model',
      owned_by: 'acme',
    });
  });

  it('has all required members, null without data, and omits optional ones without data', async () => {
    expect(await listed('acme/plain')).toEqual({
      id: 'acme/plain',
      canonical_slug: 'acme/plain',
      name: 'Model acme/plain',
      created: 1_600_000_000,
      context_length: 8192,
      expiration_date: null,
      knowledge_cutoff: null,
      hub_model_id: null,
      supported_parameters: [],
      supported_voices: null,
      default_parameters: null,
      per_request_limits: null,
      links: { details: '/api/v1/models/acme/plain/endpoints' },
      pricing: { prompt: '0.000001', completion: '0.000002' },
      architecture: { modality: 'text->text', input_modalities: ['text'], output_modalities: ['text'] },
      top_provider: { context_length: 8192, max_completion_tokens: null, is_moderated: false },
      object: 'model',
      owned_by: 'acme',
    });
  });

  it('supports the parameters of any of its endpoints', async () => {
    const { supported_parameters } = await listed('acme/spread');
    expect((supported_parameters as string[]).toSorted()).toEqual([
      'max_tokens',
      'response_format',
      'seed',
      'stop',
      'temperature',
      'tool_choice',
      'tools',
    ]);
  });

  it('is listed by an alias too, which names its target', async () => {
    const alias = await listed('~acme/latest');
    expect(alias).toMatchObject({
      id: '~acme/latest',
      name: 'Acme (latest)',
      alias_target: { slug: 'acme/full', name: 'Acme: Full' },
      top_provider: { max_completion_tokens: 8192 },
    });
    expect('alias_target' in (await listed('acme/full'))).toBe(false);
  });

  it('is not listed, nor its alias, without a visible endpoint', async () => {
    for (const path of ['/models/user', '/models']) {
      const listedIds = rowsOf(await use('GET', path)).map(({ id }) => id);
      expect(listedIds).toEqual(['~acme/latest', 'acme/full', 'acme/spread', 'acme/plain']);
    }
  });

  it('links to its endpoints, each of them', async () => {
    for (const { id, links } of rowsOf(await use('GET', '/models'))) {
      const { details } = links as { details: string };
      const { data } = bodyOf(await send(gateway.url + details, 'GET'));
      expect(data).toMatchObject({ id });
    }
  });
});

describe('GET /models/{author}/{slug}/endpoints', () => {
  it('shows the model and its endpoints', async () => {
    const { endpoints, ...model } = recordOf(await use('GET', '/models/acme/spread/endpoints'));
    expect(model).toEqual({
      id: 'acme/spread',
      name: 'Model acme/spread',
      created: 1_750_000_000,
      description: '',
      architecture: {
        modality: 'text->text',
        input_modalities: ['text'],
        output_modalities: ['text'],
        instruct_type: null,
        tokenizer: 'Other',
      },
    });
    expect(endpoints).toMatchObject([
      { provider: 'acme', provider_name: 'Acme', region: null, context_length: 1000, status: 0 },
      { provider: 'b', region: 'eu-west-1', data_policy: { zdr: true, data_collection: false } },
      // A provider without a data policy counts as one that retains prompts.
      { provider: 'silent', data_policy: { zdr: false, data_collection: true }, status: -1 },
    ]);
  });

  it('of an alias: its own name, the endpoints of its target', async () => {
    const target = recordOf(await use('GET', '/models/acme/full/endpoints'));
    const alias = recordOf(await use('GET', '/models/~acme/latest/endpoints'));
    expect(alias).toMatchObject({ id: '~acme/latest', name: 'Acme (latest)', endpoints: target.endpoints });
  });

  it.each(['/models/acme/none/endpoints', '/models/none/full/endpoints', '/models/ACME/full/endpoints'])(
    '%s is 404',
    async (path) => expect(refusalOf(await use('GET', path))).toEqual([404, 'not_found']),
  );

  it('takes no query', async () => {
    const answer = refusalOf(await use('GET', '/models/acme/full/endpoints?limit=1'));
    expect(answer).toEqual([400, 'invalid_request', 'limit unknown']);
  });
});

describe('GET /providers', () => {
  it('shows all of them, with all members', async () => {
    expect(rowsOf(await caller(gateway)('GET', '/providers'))).toEqual([
      {
        slug: 'acme',
        name: 'Acme',
        headquarters: 'NL',
        datacenters: ['NL', 'DE'],
        privacy_policy_url: 'https://acme.example/privacy',
        terms_of_service_url: 'https://acme.example/terms',
        status_page_url: 'https://status.acme.example',
      },
      ...['b', 'silent'].map((slug) => ({
        slug,
        name: `Provider ${slug}`,
        headquarters: null,
        datacenters: [],
        privacy_policy_url: null,
        terms_of_service_url: null,
        status_page_url: null,
      })),
    ]);
  });
});
