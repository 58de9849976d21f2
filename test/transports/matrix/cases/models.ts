import { expect } from 'vitest';
import { ModelService } from '../../../../gen/byway/v1/models_pb.js';
import { answers, by, type Case, fails } from '../case.js';

const { listModels, listUserModels, getModel, describeModel, listModelEndpoints, listProviders } =
  ModelService.method;
const { countModels, listEmbeddingModels, listZdrEndpoints } = ModelService.method;

/** Models and providers. */
export const MODEL_CASES: readonly Case[] = [
  answers(
    listModels,
    'the full list, for nobody',
    { as: by.nobody, ask: () => ({}) },
    { data: expectIds('test/m1'), links: { next: null } },
  ),
  answers(
    listModels,
    'a page, with the way to the next',
    { as: by.manager, ask: () => ({ offset: 1, limit: 2 }) },
    { links: { next: expect.stringMatching(/\/api\/v1\/models\?offset=3&limit=2$/) } },
  ),
  answers(
    listModels,
    'those that Codex can use, beside the page',
    { as: by.nobody, ask: () => ({ limit: 1, clientVersion: '0.171.0' }) },
    {
      data: [expect.anything()],
      models: [expect.objectContaining({ visibility: 'list', priority: 1, upgrade: null })],
    },
  ),
  fails(
    listModels,
    'bounds of the page',
    { as: by.nobody, ask: () => ({ offset: -1, limit: 1001 }) },
    {
      status: 400,
      violations: [
        { field: 'offset', rule: 'range' },
        { field: 'limit', rule: 'range' },
      ],
    },
  ),
  answers(
    listUserModels,
    'the full list',
    { as: by.apiKey, ask: () => ({}) },
    { data: expectIds('test/m1'), links: { next: null } },
  ),
  answers(
    listUserModels,
    'behind the last',
    { as: by.apiKey, ask: () => ({ offset: 1000 }) },
    { data: [], links: { next: null } },
  ),
  answers(
    getModel,
    'a model as lists have it, for nobody',
    { as: by.nobody, ask: () => ({ author: 'test', slug: 'm1' }) },
    { data: { id: 'test/m1', name: 'Model test/m1', object: 'model', owned_by: 'test' } },
  ),
  fails(
    getModel,
    'that does not exist',
    { as: by.nobody, ask: () => ({ author: 'te st', slug: 'm/1%' }) },
    { status: 404, reason: 'not_found' },
  ),
  answers(
    describeModel,
    'a model by its id, for nobody',
    { as: by.nobody, ask: () => ({ id: 'test/m1' }) },
    { id: 'test/m1', object: 'model', owned_by: 'test', type: 'model', display_name: 'Model test/m1' },
  ),
  answers(
    describeModel,
    'a model without its author',
    { as: by.nobody, ask: () => ({ id: 'm1' }) },
    { id: 'test/m1' },
  ),
  fails(
    describeModel,
    'that does not exist',
    { as: by.nobody, ask: () => ({ id: 'te st/m/1%' }) },
    { status: 404, reason: 'not_found' },
  ),
  answers(
    countModels,
    'those that return text, for nobody',
    { as: by.nobody, ask: () => ({ outputModalities: 'text,image' }) },
    { data: { count: expect.any(Number) } },
  ),
  fails(
    countModels,
    'of what no model returns',
    { as: by.nobody, ask: () => ({ outputModalities: 'smell' }) },
    { status: 400, violations: [{ field: 'output_modalities', rule: 'in' }] },
  ),
  answers(
    listEmbeddingModels,
    'those that make embeddings',
    { as: by.nobody, ask: () => ({ limit: 1 }) },
    { data: [{ id: 'test/embed' }], total_count: 1, links: { next: null }, object: 'list' },
  ),
  answers(
    listZdrEndpoints,
    'those of all models',
    { as: by.apiKey, ask: () => ({}) },
    { data: expect.arrayContaining([expect.objectContaining({ provider: 'a', model_id: 'test/m1' })]) },
  ),
  answers(
    listModelEndpoints,
    'the endpoints of a model',
    { as: by.nobody, ask: () => ({ author: 'test', slug: 'm1' }) },
    { data: { id: 'test/m1', endpoints: [{ provider: 'a' }, { provider: 'b' }, { provider: 'c' }] } },
  ),
  fails(
    listModelEndpoints,
    'of a model that does not exist',
    { as: by.nobody, ask: () => ({ author: 'te st', slug: 'm/1%' }) },
    { status: 404, reason: 'not_found' },
  ),
  answers(
    listProviders,
    'all of them',
    { as: by.nobody, ask: () => ({}) },
    { data: [{ slug: 'a' }, { slug: 'b' }, { slug: 'c' }, { slug: 'demo' }, { slug: 'google-vertex' }] },
  ),
];

function expectIds(first: string): unknown {
  return expect.arrayContaining([expect.objectContaining({ id: first })]);
}
