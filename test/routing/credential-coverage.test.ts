import { describe, expect, it } from 'vitest';
import type { Opened } from '../../src/byok/cache/credential-cache.js';
import type { SharedCredential, StoredKey } from '../../src/byok/keys/ports.js';
import type { AzureCredential } from '../../src/byok/kinds/azure.js';
import type { Sealed } from '../../src/byok/vault/vault.js';
import type { Catalog } from '../../src/catalog/assembled/catalog.js';
import {
  coverageOf,
  FULL_COVERAGE,
  routableKey,
  sharedCoverage,
} from '../../src/routing/plan/model-context.js';
import { plan } from '../../src/routing/plan/plan.js';
import type { CredentialCoverage } from '../../src/routing/types.js';
import { DEPLOYMENT, RESOURCE } from '../byok/credentials.fixture.js';
import { read } from '../byok/parse.fixture.js';
import { endpoint, exclusions, input, key, model, provider, route } from './contexts.js';

const NAMES: Readonly<Record<string, string>> = { '~m/latest': 'm1', 'm1-2026': 'm1' };
const resolveModelId = (name: string) => NAMES[name] ?? name;
const forModel = (model_slug: string) => ({ ...DEPLOYMENT, model_slug });

function coverageFor(credential: AzureCredential) {
  return (modelId: string) => coverageOf(credential, resolveModelId).servesModel(modelId);
}

describe('which models an Azure credential covers', () => {
  it.each(['m1', 'm1-2026', '~m/latest'])('entries for one deployment: the model that %s means', (slug) => {
    const serves = coverageFor(read('azure', [forModel(slug), forModel('m2')]));
    expect([serves('m1'), serves('m2'), serves('m3')]).toEqual([true, true, false]);
  });

  it('a resource: every model', () => {
    const serves = coverageFor(read('azure', [forModel('m2'), RESOURCE]));
    expect([serves('m1'), serves('m2')]).toEqual([true, true]);
  });

  it('any other kind of credential: every model', () => {
    expect(coverageOf({ adapter: 'openai', apiKey: 'x' }, resolveModelId).servesModel('m1')).toBe(true);
    expect(FULL_COVERAGE.servesModel('m1')).toBe(true);
  });
});

describe('a key that is not for the model (key_no_endpoint)', () => {
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

  it('reports the key’s own state first', () => {
    const planned = plan(input([a], { keys: [other({ disabled: true })] }));
    expect(exclusions(planned)).toEqual(['K: key_disabled']);
  });

  it('that is always used fails the request instead of charging for shared capacity', () => {
    const planned = plan(input([a], { keys: [other({ isRequired: true })] }));
    expect(exclusions(planned)).toEqual(['K: key_no_endpoint', 'a/m1: always_use']);
  });

  it('as a shared credential counts as none', () => {
    const sharedProviders = new Map([['a', { ...FULL_COVERAGE, servesModel: () => false }]]);
    const planned = plan(input([a], { sharedProviders, providers: new Map([['a', provider('a')]]) }));
    expect(exclusions(planned)).toEqual(['a/m1: no_shared_credential']);
    expect(planned.excluded[0]?.detail).toBe('This gateway holds no shared credential for m1 at a.');
  });
});

describe('a stored credential', () => {
  const providers = new Map([
    ['a', provider('a', { adapter: 'azure' })],
    ['d', provider('d', { adapter: 'demo' })],
  ]);
  const catalog = { providers, resolveId: resolveModelId } as unknown as Catalog;
  const sealed: Sealed = { ciphertext: Buffer.alloc(0), wrappedDataKey: Buffer.alloc(0), masterKeyId: '' };
  const stored = (slug: string): StoredKey => ({ key: key('K', slug).key, sealed });
  const forOne: Opened = { credential: read('azure', [forModel('m1')]) };
  const unreadable: Opened = { unusable: 'rejected' };
  const covered = ({ servesModel }: CredentialCoverage) => ['m1', 'm2'].filter(servesModel);

  it('of a key covers what it says', () => {
    const routable = routableKey({ open: () => forOne }, catalog, stored('a'));
    expect([routable.usable, covered(routable)]).toEqual([true, ['m1']]);
  });

  it('of a key that cannot be opened makes the key unusable, for every model that it may have been for', () => {
    const routable = routableKey({ open: () => unreadable }, catalog, stored('a'));
    expect([routable.usable, covered(routable)]).toEqual([false, ['m1', 'm2']]);
  });

  it('of a key whose provider has left the catalogue is not opened, and the key is unusable', () => {
    const open = () => {
      throw new Error('opened');
    };
    expect(routableKey({ open }, catalog, stored('gone')).usable).toBe(false);
  });

  it('of a provider covers what it says; only demo providers need none', () => {
    const credential: SharedCredential = { provider: 'a', label: '', sealed, updatedAt: 0 };
    const coverage = (opened: Opened, slugs: readonly string[]) => {
      const shared = new Map(slugs.map((slug) => [slug, credential]));
      return sharedCoverage({ openShared: () => opened }, catalog, shared);
    };
    const opened = coverage(forOne, ['a']);
    expect([...opened.keys()]).toEqual(['a', 'd']);
    expect([...opened.values()].map(covered)).toEqual([['m1'], ['m1', 'm2']]);
    expect([...coverage(unreadable, ['a']).keys()]).toEqual(['d']);
    expect([...coverage(forOne, []).keys()]).toEqual(['d']);
  });
});
