import { describe, expect, it } from 'vitest';
import type { AzureCredential } from '../../src/byok/kinds/azure.js';
import { coverageOf, FULL_COVERAGE } from '../../src/routing/plan/credential-coverage.js';
import { plan } from '../../src/routing/plan/plan.js';
import { DEPLOYMENT, RESOURCE } from '../byok/credentials.fixture.js';
import { read } from '../byok/parse.fixture.js';
import { endpoint, exclusions, input, key, model, provider, route } from './contexts.js';

const NAMES: Readonly<Record<string, string>> = { '~m/latest': 'm1', 'm1-2026': 'm1' };
const resolveModelId = (name: string) => NAMES[name] ?? name;
const forModel = (model_slug: string) => ({ ...DEPLOYMENT, model_slug });

function servedBy(credential: AzureCredential) {
  return (modelId: string) => coverageOf(credential, resolveModelId).servesModel(modelId);
}

describe('what a credential of platform A is for (spec 2.4)', () => {
  it.each(['m1', 'm1-2026', '~m/latest'])('entries for one deployment: the model that %s means', (slug) => {
    const serves = servedBy(read('azure', [forModel(slug), forModel('m2')]));
    expect([serves('m1'), serves('m2'), serves('m3')]).toEqual([true, true, false]);
  });

  it('a resource: every model', () => {
    const serves = servedBy(read('azure', [forModel('m2'), RESOURCE]));
    expect([serves('m1'), serves('m2')]).toEqual([true, true]);
  });

  it('any other kind of credential: every model', () => {
    expect(coverageOf({ adapter: 'openai', apiKey: 'x' }, resolveModelId).servesModel('m1')).toBe(true);
    expect(FULL_COVERAGE.servesModel('m1')).toBe(true);
  });
});

describe('a key that is not for the model (interface section 6: key_no_endpoint)', () => {
  const [a, b] = [endpoint('a'), endpoint('b')];
  const other = (members = {}) => key('K', 'a', members, { servesModel: (id) => id === 'm2' });

  it('is no attempt, is listed once and without an endpoint, and leaves everything else', () => {
    const planned = plan(input([a, b], { keys: [other(), key('L', 'a', { sortOrder: 1 })] }));
    expect(route(planned)).toEqual(['L', 'a shared', 'b shared']);
    expect(planned.excluded).toEqual([
      {
        provider: 'a',
        endpointId: null,
        byokKeyId: 'K',
        reason: 'key_no_endpoint',
        detail: "The key's credential has no entry for m1.",
      },
    ]);
  });

  it('is used for the model that it is for', () => {
    const forIt = endpoint('a', { id: 'a/m2', modelId: 'm2' });
    const planned = plan({ ...input([forIt], { keys: [other()] }), model: model([forIt], 'm2') });
    expect(route(planned)).toEqual(['K', 'a shared']);
  });

  it('names what is true of the key alone first', () => {
    const planned = plan(input([a], { keys: [other({ disabled: true })] }));
    expect(exclusions(planned)).toEqual(['K: key_disabled']);
  });

  it('that is always used fails the request rather than have it charged (spec 4.5.3)', () => {
    const planned = plan(input([a], { keys: [other({ isRequired: true })] }));
    expect(exclusions(planned)).toEqual(['K: key_no_endpoint', 'a/m1: always_use']);
  });

  it('as a shared credential is none', () => {
    const sharedProviders = new Map([['a', { ...FULL_COVERAGE, servesModel: () => false }]]);
    const planned = plan(input([a], { sharedProviders, providers: new Map([['a', provider('a')]]) }));
    expect(exclusions(planned)).toEqual(['a/m1: no_shared_credential']);
    expect(planned.excluded[0]?.detail).toBe('This gateway holds no shared credential for m1 at a.');
  });
});
