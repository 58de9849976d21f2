import { describe, expect, it } from 'vitest';
import { PLATFORMS } from '../../support/platforms.js';
import { type Asked, ask, onBothCapacities } from './shared.fixture.js';

const { own } = onBothCapacities();

const MEDIA = { type: 'image_url', image_url: { url: 'gs://somebodys-bucket/private.png' } };

/** What Google says of an object that the credential may not read. */
const FORBIDDEN: readonly (readonly [words: string, more: object])[] = [
  [
    'sa@p.iam.gserviceaccount.com does not have storage.objects.get access to the Google Cloud Storage object.',
    { messages: [{ role: 'user', content: [MEDIA] }] },
  ],
  ['Permission denied while accessing input file.', { messages: [{ role: 'user', content: [MEDIA] }] }],
  ['Access to somebodys-bucket/private.png was denied', { messages: [{ role: 'user', content: [MEDIA] }] }],
  ['CachedContent not found (or permission denied)', { cachedContent: 'cachedContents/1' }],
];

describe('a 403 that names an object of the request', () => {
  const [gemini] = PLATFORMS.filter(({ slug }) => slug === 'vertex-gemini');

  async function refusedWith(message: string, more: object): Promise<Asked> {
    if (gemini === undefined) throw new Error('there is no such platform');
    own().plan(gemini, 'm', {
      status: 403,
      body: { error: { code: 403, message, status: 'PERMISSION_DENIED' } },
    });
    return ask(own(), gemini, '/chat/completions', more);
  }

  it.each(FORBIDDEN)('is the request’s fault: %s', async (words, more) => {
    for (let time = 0; time < 4; time += 1) {
      const { answer } = await refusedWith(words, more);
      expect([answer.status, answer.text]).toEqual([
        400,
        expect.stringContaining('upstream_invalid_request'),
      ]);
    }
    const explained = await own().use('POST', '/routing/explain', { model: 'vertex-gemini/m' });
    expect(JSON.parse(explained.text).data.attempts).toMatchObject([{ health: { state: 'ok' } }]);
  });

  it('is not where the request names none, or the words are about the credential', async () => {
    const [words = ''] = FORBIDDEN[0] ?? [];
    const plain = await refusedWith(words, {});
    expect([plain.answer.status, plain.answer.text]).toEqual([
      502,
      expect.stringContaining('upstream_credential_refused'),
    ]);
    const message = 'Permission aiplatform.endpoints.predict denied on resource';
    const { answer } = await refusedWith(message, { cachedContent: 'cachedContents/1' });
    expect(answer.status).toBe(502);
  });
});
