import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { PUBLIC_KEY } from '../../support/fakes/fake-vertex/account.js';
import { startFakeVertex } from '../../support/fakes/fake-vertex.js';
import { forAccount, startMoneyGateway } from '../../support/money.js';
import { addKey, hear, share } from '../../support/providers.js';

const MODEL = 'google/gemini';

/** A gateway in front of a Google, and two of its accounts. */
async function startVertex() {
  const fake = await startFakeVertex();
  const gateway = await startMoneyGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    providers: [{ slug: 'vertex', name: 'Vertex', adapter: 'google-vertex', base_url: fake.origin }],
    models: [demoModel(MODEL, [{ provider: 'vertex', upstream_model_id: 'gemini-2.5-flash' }])],
  });
  return { fake, gateway, hostile: forAccount(gateway, await gateway.addAccount()) };
}

/** A private key that signs nothing, with the public half of the fake's account, which Google shows to everybody. */
function forgedKey(): string {
  const { n, e } = PUBLIC_KEY.export({ format: 'jwk' });
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const key = createPrivateKey({ key: { ...own, ...(n && { n }), ...(e && { e }) }, format: 'jwk' });
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

it.each(['shared capacity', 'a key of its own'])(
  'a token that was granted for %s is for nobody who knows all that is public of its account of Google',
  async (capacity) => {
    const { fake, gateway, hostile } = await startVertex();
    if (capacity === 'shared capacity')
      await share(gateway, 'vertex', fake.serviceAccount(), 'google-vertex');
    else await addKey(gateway, 'vertex', fake.serviceAccount());
    expect(hear(await gateway.chat(MODEL))).toMatchObject({ status: 200, error: null });
    await addKey(hostile, 'vertex', fake.serviceAccount({ private_key: forgedKey() }), {
      is_fallback: false,
    });
    const heard = hear(await hostile.chat(MODEL, { provider: { allow_fallbacks: false } }));
    expect([heard.status, heard.usage]).toEqual([expect.toSatisfy((status) => status >= 400), null]);
    expect([fake.requests.length, fake.tokenRequests.length]).toEqual([1, 2]);
    expect(hear(await gateway.chat(MODEL))).toMatchObject({ status: 200, error: null });
    expect(fake.tokens.length).toBe(1);
  },
);
