import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCatalog } from '../../../src/catalog/importing/import.js';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, recordOf } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;

const catalogOf = (...slugs: string[]) => ({
  providers: slugs.map((slug) => demoProvider(slug, { regions: ['ap-south-1'] })),
  models: [demoModel('test/m1', slugs)],
});

beforeAll(async () => {
  gateway = await launchGateway({
    env: { BYWAY_REGION_HOSTS: 'eu.localhost=eu' },
    catalog: catalogOf('a', 'b', 'c'),
  });
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());

async function violationsOf(method: string, path: string, body: object): Promise<unknown> {
  const answer = await manage(method, path, body);
  const { error } = bodyOf(answer) as {
    error?: { metadata: { violations: { field: string; rule: string; message: string }[] } };
  };
  return (
    error?.metadata.violations.map(({ field, rule, message }) => `${field} ${rule}: ${message}`) ??
    answer.status
  );
}

describe('a restriction may list only existing providers and regions, since a mistyped one would protect nothing', () => {
  it.each<[string, string, object, unknown]>([
    ['POST', '/guardrails', { allowed_providers: ['a', 'b'] }, 201],
    ['POST', '/guardrails', { allowed_providers: [], ignored_providers: null }, 201],
    ['POST', '/guardrails', { allowed_models: ['no/model'], ignored_models: ['nothing'] }, 201],
    ['POST', '/guardrails', { allowed_data_regions: ['global', 'eu', 'ap-south-1'] }, 201],
    ['POST', '/guardrails', { ignored_providers: ['A', ' b '] }, 201],
    [
      ...(['POST', '/guardrails', { ignored_providers: ['aa'] }] as const),
      ['ignored_providers[0] known: is not a known provider; did you mean a?'],
    ],
    [
      ...(['POST', '/guardrails', { allowed_data_regions: ['ap-south1', 'moon'] }] as const),
      [
        'allowed_data_regions[0] known: is not a known region; did you mean ap-south-1?',
        'allowed_data_regions[1] known: is not a known region',
      ],
    ],
    ['PATCH', '/preferences', { allowed_providers: ['c'] }, 200],
    [
      ...(['PATCH', '/preferences', { allowed_providers: ['c', 'zzzzzz'] }] as const),
      ['allowed_providers[1] known: is not a known provider'],
    ],
  ])('%s %s %j', async (method, path, body, expected) => {
    const named = method === 'POST' ? { name: 'n', ...body } : body;
    expect(await violationsOf(method, path, named)).toEqual(expected);
  });

  it('and a listed provider that disappears later does not lock the record', async () => {
    const { id } = recordOf(
      await manage('POST', '/guardrails', {
        name: 'n',
        allowed_providers: ['a', 'b'],
        ignored_providers: ['c'],
      }),
    );
    await manage('PATCH', '/preferences', { ignored_providers: ['c'] });
    const text = JSON.stringify(catalogOf('a', 'b'));
    await importCatalog(gateway.gateway.stores.catalog, text, { merge: false });
    expect(
      await violationsOf('PATCH', `/guardrails/${id}`, { name: 'Renamed', allowed_providers: ['a'] }),
    ).toBe(200);
    expect(recordOf(await manage('GET', `/guardrails/${id}`)).ignored_providers).toEqual(['c']);
    expect(await violationsOf('PATCH', '/preferences', { zdr: false })).toBe(200);
    expect(await violationsOf('PATCH', `/guardrails/${id}`, { ignored_providers: ['c', 'b'] })).toEqual([
      'ignored_providers[0] known: is not a known provider; did you mean a?',
    ]);
  });
});
