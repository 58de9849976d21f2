import { GoogleGenAI } from '@google/genai';
import { expect, it } from 'vitest';
import { vectorOfInput } from '../../support/fakes/fake-embedding-host.js';
import { PROJECT_ID } from '../../support/fakes/fake-vertex/account.js';
import { startFakeVertex } from '../../support/fakes/fake-vertex.js';
import { BY_NAME, startHost } from './hosts.fixture.js';

const VERTEX = BY_NAME.filter(([name]) => name.startsWith('vertex-'));

it.each(VERTEX)(
  'the fake of %s answers the official client, which sends what the gateway does',
  async (_, row) => {
    const { model } = row.host;
    const fake = await startFakeVertex();
    const official = new GoogleGenAI({
      vertexai: true,
      project: PROJECT_ID,
      location: 'global',
      httpOptions: {
        baseUrl: fake.origin,
        headers: { Authorization: `Bearer ${fake.token()}` },
        apiVersion: 'v1',
      },
      googleAuthOptions: { authClient: { getRequestHeaders: async () => new Headers() } as never },
    });
    const config = { taskType: 'RETRIEVAL_QUERY', outputDimensionality: 128, autoTruncate: false };
    const answer = await official.models.embedContent({ model, contents: ['Hello'], config });
    expect(answer.embeddings).toMatchObject([
      { values: vectorOfInput('Hello', 128), statistics: { tokenCount: 5 } },
    ]);
    const { embed, running } = await startHost(row);
    await embed({ input: ['Hello'], dimensions: 128, input_type: 'search_query' });
    expect(running.bodies()).toEqual([fake.requests[0]?.body]);
  },
);
