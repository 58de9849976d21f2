import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { ExportFormat } from '../../../../gen/byway/v1/common_pb.js';
import { GenerationService } from '../../../../gen/byway/v1/generations_pb.js';
import { RequestFormat, RoutingService } from '../../../../gen/byway/v1/routing_pb.js';
import { answers, by, type Case, fails, RPC_ONLY } from '../case.js';

const { getGeneration, getReceipt, listGenerations, exportGenerations } = GenerationService.method;
const { explainRoute } = RoutingService.method;

const BROKEN: MessageInitShape<typeof explainRoute.input> = {
  provider: {
    order: { values: ['a', ''] },
    maxPrice: { prompt: { form: { case: 'number', value: -1 } } },
  },
};

const routes: readonly Case[] = [
  answers(
    explainRoute,
    'a BYOK key first, then shared capacity in the requested order',
    {
      as: by.apiKey,
      async ask(world) {
        await world.addByokKey({ provider: 'b' });
        return { model: 'test/m1', provider: { order: { values: ['a', 'nobody'] } }, promptTokens: 10 };
      },
    },
    {
      data: {
        attempts: [
          { position: 0, provider: 'b', section: 'prioritized', byok_label: 'dem...890' },
          { position: 1, provider: 'a', section: 'shared', health: { state: 'ok', until: null } },
          { position: 2, provider: 'b' },
          { position: 3, provider: 'c' },
        ],
        unknown_providers: ['nobody'],
      },
    },
  ),
  answers(
    explainRoute,
    'a reason for everything that is not tried',
    {
      as: by.manager,
      async ask(world) {
        await world.addByokKey({ provider: 'a', allowedModels: { values: ['test/m2'] } });
        const apiKeyHash = world.account.apiKeyHash;
        return { model: 'test/m1', apiKeyHash, provider: { ignore: { values: ['c'] } }, extra: { seed: 1 } };
      },
    },
    { data: { excluded: expectReasons('key_model_filter', 'request_ignore') } },
  ),
  answers(
    explainRoute,
    'the lane of each attempt, for a request in the Messages format',
    {
      as: by.apiKey,
      ask: () => ({
        model: 'test/m1',
        format: RequestFormat.MESSAGES,
        tools: [{ extra: { name: 'weather', input_schema: { type: 'object' } } }],
        provider: { only: { values: ['a'] } },
      }),
    },
    { data: { attempts: [{ provider: 'a', lane: 'translated' }] } },
  ),
  fails(
    explainRoute,
    'a management key names no API key',
    { as: by.manager, ask: () => ({ model: 'test/m1' }) },
    { status: 400, violations: [{ field: 'api_key_hash', rule: 'required' }] },
  ),
  fails(
    explainRoute,
    'no model, and preferences that break rules',
    {
      as: by.apiKey,
      ask: () => BROKEN,
    },
    {
      status: 400,
      violations: [
        { field: 'model' },
        { field: 'provider.order[1]' },
        { field: 'provider.max_price.prompt' },
      ],
    },
  ),
];

const generations: readonly Case[] = [
  answers(
    getGeneration,
    'the own one',
    { as: by.apiKey, ask: async (world) => ({ id: await world.addGeneration() }) },
    { data: { model: 'test/m1', provider: 'a', streamed: false, provider_responses: [{ status: 200 }] } },
  ),
  answers(
    getGeneration,
    'for the management key, with an attempt that failed',
    {
      as: by.manager,
      async ask(world) {
        await world.addByokKey({ key: 'demo-status-429-abcdefgh' });
        return { id: await world.addGeneration('test/m2') };
      },
    },
    { data: { is_byok: false, provider_responses: [{ status: 429, is_byok: true }, { status: 200 }] } },
  ),
  fails(
    getGeneration,
    'of another key',
    {
      as: async (world) => (await world.addKey()).secret,
      ask: async (world) => ({ id: await world.addGeneration() }),
    },
    { status: 404, reason: 'not_found' },
  ),
  answers(
    getReceipt,
    'of the own one',
    { as: by.apiKey, ask: async (world) => ({ id: await world.addGeneration() }) },
    {
      data: {
        model: 'test/m1',
        provider: 'a',
        is_byok: false,
        lines: [
          { kind: 'prompt', base_price_usd: '0.000001', unit_price_usd: '0.000001' },
          { kind: 'completion', base_price_usd: '0.000002', unit_price_usd: '0.000002' },
        ],
        multiplier: '1',
        discount: '0',
        rounding_usd: '0',
        counted_by: 'provider',
        fee: null,
        ledger_entries: [{ kind: 'credit_spend' }],
      },
    },
  ),
  answers(
    getReceipt,
    'over an own key, for the management key',
    {
      as: by.manager,
      async ask(world) {
        await world.addByokKey({ key: 'demo-echo-abcdefgh' });
        return { id: await world.addGeneration('test/m2') };
      },
    },
    {
      data: {
        is_byok: true,
        charged_usd: '0',
        fee: { rate: '0.05', allowance_left_before_usd: '25000', on_usd: '0', amount_usd: '0' },
        ledger_entries: [{ kind: 'byok_cost' }],
      },
    },
  ),
  fails(
    getReceipt,
    'of another key',
    {
      as: async (world) => (await world.addKey()).secret,
      ask: async (world) => ({ id: await world.addGeneration() }),
    },
    { status: 404, reason: 'not_found' },
  ),
  fails(
    getReceipt,
    'of a generation from before receipts were kept',
    {
      as: by.apiKey,
      async ask(world) {
        const id = await world.addGeneration();
        await world.dropReceipt(id);
        return { id };
      },
    },
    { status: 404, reason: 'no_receipt' },
  ),
  fails(
    listGenerations,
    'instants in the wrong order, of an unknown workspace, on a page that is none',
    {
      as: by.manager,
      ask: () => ({
        from: '2026-02-01T00:00:00.001Z',
        to: '2026-02-01T01:00:00+01:00',
        workspaceId: 'none',
        offset: -1,
      }),
    },
    {
      status: 400,
      violations: [
        { field: 'offset', rule: 'range' },
        { field: 'from', rule: 'range', message: 'must not be later than to' },
        { field: 'workspace_id', rule: 'known' },
      ],
    },
  ),
  fails(
    getGeneration,
    'without a name',
    { as: by.apiKey, ask: () => ({}) },
    { status: 400, violations: [{ field: 'id', rule: 'required' }] },
  ),
  answers(
    listGenerations,
    'those of a key',
    {
      as: by.manager,
      async ask(world) {
        await world.addGeneration();
        return { apiKeyHash: world.account.apiKeyHash, from: '2020-01-01T00:00:00Z', limit: 5 };
      },
    },
    { data: [{ model: 'test/m1' }], total_count: 1 },
  ),
  fails(
    listGenerations,
    'instants that are none',
    { as: by.manager, ask: () => ({ from: 'yesterday', to: '2020-02-30T00:00:00Z' }) },
    {
      status: 400,
      violations: [
        { field: 'from', rule: 'timestamp' },
        { field: 'to', rule: 'timestamp' },
      ],
    },
  ),
  answers(
    exportGenerations,
    'of a key, oldest first',
    {
      as: by.manager,
      async ask(world) {
        for (const model of ['test/m2', 'test/m1']) await world.addGeneration(model);
        return { apiKeyHash: world.account.apiKeyHash, format: ExportFormat.JSONL };
      },
    },
    { model: 'test/m1', provider_responses: [{ status: 200 }] },
  ),
  fails(
    exportGenerations,
    'by a status and a workspace that there are not',
    { as: by.manager, ask: () => ({ status: 'good', workspaceId: 'none', isByok: true }) },
    {
      status: 400,
      violations: [
        { field: 'status', rule: 'in' },
        { field: 'workspace_id', rule: 'known' },
      ],
    },
  ),
  fails(
    exportGenerations,
    'in a format that there is not',
    { as: by.manager, kinds: RPC_ONLY, ask: () => ({ format: 9 }) },
    { status: 400, violations: [{ field: 'format', rule: 'enum' }] },
  ),
];

/** Routes and generations. */
export const ROUTING_CASES: readonly Case[] = [...routes, ...generations];

function expectReasons(...reasons: readonly string[]): unknown {
  return expect.arrayContaining(reasons.map((reason) => expect.objectContaining({ reason })));
}
