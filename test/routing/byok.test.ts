import { describe, expect, it } from 'vitest';
import { plan } from '../../src/routing/plan/plan.js';
import { endpoint, exclusions, input, key, model, route, shared } from './contexts.js';

const [a, b] = [endpoint('a'), endpoint('b')];

describe('model filter and always-use: key X with model filter [m1] and always-use, key Y without filters', () => {
  const keys = [
    key('X', 'a', { allowedModels: ['m1'], isRequired: true, sortOrder: 0 }),
    key('Y', 'a', { sortOrder: 1 }),
  ];

  it('requests for m1 try X then Y and skip shared capacity', () => {
    const planned = plan(input([a], { keys }));
    expect(route(planned)).toEqual(['X', 'Y']);
    expect(exclusions(planned)).toEqual(['a/m1: always_use']);
  });

  it('requests for other models of the provider use Y only, with shared capacity as fallback', () => {
    const other = endpoint('a', { id: 'a/m2', modelId: 'm2' });
    const planned = plan({ ...input([other], { keys }), model: model([other], 'm2') });
    expect(route(planned)).toEqual(['Y', 'a shared']);
    expect(exclusions(planned)).toEqual(['a/m2 + X: key_model_filter']);
  });
});

describe('is_required: always use for this provider', () => {
  it('removes the shared endpoints of that provider only', () => {
    const planned = plan(input([a, b], { keys: [key('K', 'a', { isRequired: true })] }));
    expect(route(planned)).toEqual(['K', 'b shared']);
  });

  it.each([
    ['is disabled', { disabled: true }],
    ['has a model filter that does not match', { allowedModels: ['m2'] }],
    ['has an API-key filter that does not match', { allowedApiKeyHashes: ['other'] }],
    ['has a member filter that does not match', { allowedUserIds: [] }],
  ])('removes nothing when the key %s', (_, members) => {
    const planned = plan(input([a], { keys: [key('K', 'a', { isRequired: true, ...members })] }));
    expect(route(planned)).toEqual(['a shared']);
  });

  it('removes them also when the credential cannot be opened: a failure, not a charge', () => {
    const planned = plan(input([a], { keys: [key('K', 'a', { isRequired: true }, { usable: false })] }));
    expect(planned.attempts).toEqual([]);
    expect(exclusions(planned)).toEqual(['a/m1: always_use', 'a/m1 + K: key_unusable']);
  });

  it('an unusable key that is not always used leaves shared capacity', () => {
    const planned = plan(input([a], { keys: [key('K', 'a', {}, { usable: false })] }));
    expect(route(planned)).toEqual(['a shared']);
  });
});

describe('is_byok_only', () => {
  it('removes shared endpoints of that provider also outside allowed_models', () => {
    const planned = plan(input([a, b], { keys: [key('K', 'a', { isByokOnly: true, allowedModels: [] })] }));
    expect(route(planned)).toEqual(['b shared']);
    expect(exclusions(planned)).toEqual(['a/m1: byok_only', 'a/m1 + K: key_model_filter']);
  });

  it.each([
    ['is disabled', { disabled: true }],
    ['does not admit the API key', { allowedApiKeyHashes: ['other'] }],
    ['does not admit the member', { allowedUserIds: ['other'] }],
  ])('removes nothing when the key %s', (_, members) => {
    const planned = plan(input([a], { keys: [key('K', 'a', { isByokOnly: true, ...members })] }));
    expect(route(planned)).toEqual(['a shared']);
  });
});

describe('keys of other workspaces, and names in filters', () => {
  it('a key of another workspace is no part of the plan and has no effect on it', () => {
    const foreign = key('K', 'a', { workspaceId: 'other', isRequired: true, isByokOnly: true });
    const planned = plan(input([a], { keys: [foreign] }));
    expect(route(planned)).toEqual(['a shared']);
    expect(planned.excluded).toEqual([]);
  });

  it('entries of allowed_models are resolved to ids before they are compared', () => {
    const keys = [key('K', 'a', { allowedModels: ['~author/m-latest'] })];
    const resolveModelId = (name: string) => (name === '~author/m-latest' ? 'm1' : name);
    expect(route(plan(input([a], { keys, resolveModelId })))).toEqual(['K', 'a shared']);
  });

  it('a key works where there is no shared credential', () => {
    const planned = plan(input([a], { keys: [key('K', 'a')], sharedProviders: shared() }));
    expect(route(planned)).toEqual(['K']);
  });
});
