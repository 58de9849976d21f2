import { describe, expect, it, onTestFinished } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { serveFakeBedrock } from '../../support/fakes/fake-bedrock/serve.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-bedrock.js';
import { startFakeServer } from '../../support/fakes/fake-server.js';
import { startMoneyGateway } from '../../support/money.js';
import { addKey } from '../../support/providers.js';
import type { Row } from '../../support/rest.js';
import { onPlatforms } from './platform.js';

/** Vertex AI answers `URL sources are not supported`: https://github.com/BerriAI/litellm/issues/18430 */
const SLUGS = ['vertex-claude', 'bedrock-key'];
const PNG = Buffer.from('iVBORw0KGgo=', 'base64');
const JPEG = Buffer.from('/9j/4AAQSkZJRg==', 'base64');

const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const text = { type: 'text', text: 'What is it?' };

/** A server of images; how often each path was asked for. */
async function startImages() {
  const asked: string[] = [];
  const server = await startFakeServer(async ({ request, response, send }) => {
    const { url = '' } = request;
    asked.push(url);
    if (url.startsWith('/moved')) {
      response.writeHead(302, { location: '/cat.png' });
      return void response.end();
    }
    if (url === '/loop') {
      response.writeHead(302, { location: '/loop' });
      return void response.end();
    }
    if (url === '/gone') {
      response.writeHead(404);
      return void response.end();
    }
    if (url === '/untyped.jpg') response.writeHead(200, { 'content-type': 'application/octet-stream' });
    else if (url === '/paper') response.writeHead(200, { 'content-type': 'application/pdf' });
    else response.writeHead(200, { 'content-type': 'image/png; x=y' });
    if (url === '/large') return send({}, [Buffer.alloc(5 * 1024 * 1024)]);
    if (url === '/huge') return send({}, [Buffer.alloc(21 * 1024 * 1024)]);
    return send({}, [url === '/untyped.jpg' ? JPEG : PNG]);
  });
  return { asked, origin: server.origin };
}

describe.each(SLUGS)('F9: media by URL at %s, which takes none', (slug) => {
  const { gateway, ask, stream, plan, sent } = onPlatforms();

  it('are fetched and sent inline, redirects followed', async () => {
    const { origin } = await startImages();
    for (const path of ['/cat.png', '/moved']) {
      expect((await ask(slug, user(text, image(origin + path)))).error).toBeUndefined();
      expect(JSON.stringify(sent(slug))).toMatch(/"image\/png"|"format":"png"/);
      expect(JSON.stringify(sent(slug))).toContain(PNG.toString('base64'));
    }
    await stream(slug, user(text, image(`${origin}/untyped.jpg`)));
    expect(JSON.stringify(sent(slug))).toMatch(/"image\/jpeg"|"format":"jpeg"/);
    const file = { type: 'file', file: { filename: 'a.pdf', file_data: `${origin}/paper` } };
    expect((await ask(slug, user(text, file))).error).toBeUndefined();
    expect(JSON.stringify(sent(slug))).toMatch(/"application\/pdf"|"format":"pdf"/);
  });

  it('are fetched once for a request, however many attempts it has and messages name them', async () => {
    const { origin, asked } = await startImages();
    plan(slug, { status: 500, body: {} });
    const url = `${origin}/cat.png`;
    const use = gateway().use('POST', '/chat/completions', {
      models: [`${slug}/m`, 'vertex-claude/m', 'bedrock-key/m'],
      messages: [
        { role: 'user', content: [image(url), text] },
        { role: 'user', content: [image(url)] },
      ],
    });
    expect((await use).status).toBe(200);
    expect(asked).toEqual(['/cat.png']);
    plan(slug, {});
  });

  it('are counted as often as they are sent: five times 5 MiB are too much, four times are not', async () => {
    const { origin, asked } = await startImages();
    const large = image(`${origin}/large`);
    expect((await ask(slug, user(large, large, large, large))).error).toBeUndefined();
    expect((await ask(slug, user(large, large, large, large, large))).error).toMatchObject({
      code: 400,
      message: expect.stringContaining('20971520 bytes'),
    });
    expect(asked).toEqual(['/large', '/large']);
  });

  it('are refused before any is fetched where too many parts name one, the same or others', async () => {
    const { origin, asked } = await startImages();
    const same = Array.from({ length: 101 }, () => image(`${origin}/cat.png`));
    const others = Array.from({ length: 101 }, (_, index) => image(`${origin}/cat.png?${index}`));
    for (const images of [same, others]) {
      expect((await ask(slug, user(text, ...images))).error).toMatchObject({
        code: 400,
        message: expect.stringContaining('in 100 parts'),
      });
    }
    expect(asked).toEqual([]);
    expect((await ask(slug, user(text, ...same.slice(1)))).error).toBeUndefined();
  });

  it.each([
    ['/gone', 'status 404'],
    ['/huge', '20971520 bytes'],
    ['/loop', 'redirects more than 3 times'],
  ])('%s is refused, which says why', async (path, why) => {
    const { origin } = await startImages();
    expect((await ask(slug, user(text, image(origin + path)))).error).toMatchObject({
      code: 400,
      message: expect.stringMatching(new RegExp(`^${origin}${path} could not be fetched .*${why}`)),
    });
  });
});

describe('F9: media by URL elsewhere', () => {
  const { ask, sent } = onPlatforms();

  it.each(['anthropic', 'openai', 'vertex-gemini'])('go to %s as they are', async (slug) => {
    const url = 'https://images.example/cat.png';
    expect((await ask(slug, user(text, image(url)))).error).toBeUndefined();
    expect(JSON.stringify(sent(slug))).toContain(url);
  });
});

describe('F9: addresses that a request may not name', () => {
  it.each([
    ['http://images.example/cat.png', 'https URL'],
    ['https://127.0.0.1/cat.png', 'be reached'],
    ['https://localhost/cat.png', 'be reached'],
    ['https://[::1]/cat.png', 'be reached'],
  ])('%s', async (url, why) => {
    const bedrock = await serveFakeBedrock();
    onTestFinished(bedrock.close);
    const gateway = await startMoneyGateway({
      providers: [
        { slug: 'amazon-bedrock', name: 'B', adapter: 'amazon-bedrock', base_url: bedrock.baseUrl },
      ],
      models: [
        demoModel('test/m', [{ provider: 'amazon-bedrock', upstream_model_id: 'anthropic.claude-3-haiku' }]),
      ],
    });
    await addKey(gateway, 'amazon-bedrock', FAKE_API_KEY);
    const answer = await gateway.chat('test/m', user(text, image(url)));
    expect(answer.status).toBe(400);
    expect((JSON.parse(answer.text) as Row).error).toMatchObject({ message: expect.stringContaining(why) });
    expect(bedrock.requests).toHaveLength(0);
  });
});
