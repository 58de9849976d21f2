import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, type PlatformsGateway } from '../../support/platforms.js';
import { THOUGHT } from '../platforms/wire-formats.js';
import { heardIn, SdkSession } from './openai-sdk.js';
import { PLACES, placesOf, proofOf } from './places.js';

const TEXT = 'Grüezi mitenand 👋🏽!';

let gateway: PlatformsGateway;
beforeAll(async () => {
  gateway = await launchPlatforms(placesOf());
});
afterAll(() => gateway.stop());

describe.each(PLACES)("OpenAI's SDK for TypeScript, with $platform.slug, $lane", (place) => {
  const { platform, lane } = place;
  const model = `${platform.slug}/${lane}`;
  const said = { status: 'completed', model, text: TEXT, reasoning: '', calls: [] };
  const client = () => new OpenAI({ baseURL: gateway.rest, apiKey: gateway.apiKey, maxRetries: 0 });
  const session = () => new SdkSession(client(), model);

  it('hears the same in one piece and streamed', async () => {
    for (const response of await session().hello()) {
      expect(heardIn(response)).toEqual(said);
      expect(response.id).toMatch(/^resp_/);
      expect(response.usage?.input_tokens).toBeGreaterThan(0);
      expect(response.usage?.output_tokens).toBeGreaterThan(0);
    }
  });

  it('calls a tool and answers its result', async () => {
    const { called, answered } = await session().tools();
    const call = { ...said, text: '', calls: [['weather', { city: 'Zürich' }]] };
    expect(called).toEqual([call, call]);
    expect(answered).toEqual([said, said, said, said]);
  });

  it('shows an image, and a file', async () => {
    expect((await session().image()).map(heardIn)).toEqual([said, said]);
    expect((await session().file()).map(heardIn)).toEqual([said, said]);
  });

  it('parses an answer in a schema', async () => {
    expect(await session().parsed()).toEqual({ answer: '42' });
  });

  it('sends thoughts back over three turns with tools', async () => {
    const call = ['weather', { city: 'Zürich' }];
    expect(await session().thinking()).toEqual([
      { ...said, text: '', reasoning: THOUGHT, calls: [call, call] },
      { ...said, reasoning: expect.any(String) },
      { ...said, text: '', reasoning: expect.any(String), calls: [call] },
    ]);
    expect(JSON.stringify(gateway.received(place.platform)[0])).toContain(proofOf(place));
  });

  it('is told what is wrong', async () => {
    const unknown = client().responses.create({ model: 'nobody/nothing', input: 'Hi' });
    await expect(unknown).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(unknown).rejects.toMatchObject({ code: 'model_not_found', param: 'model' });
    const stored = client().responses.create({ model, input: 'Hi', store: true });
    await expect(stored).rejects.toMatchObject({ status: 400, param: 'store' });
    const stranger = new OpenAI({ baseURL: gateway.rest, apiKey: 'bw-v1-nobody', maxRetries: 0 });
    await expect(stranger.responses.create({ model, input: 'Hi' })).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
  });
});
