import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { AzureOpenAI } from 'openai';
import { systemClock } from '../../../src/base/clock.js';
import { parseVertex } from '../../../src/byok/kinds/google-vertex.js';
import type { AdapterName } from '../../../src/catalog/types.js';
import type { UpstreamAdapter } from '../../../src/inference/ports/adapter.js';
import { createUpstream } from '../../../src/providers/index.js';
import { costOfStreams } from '../../providers/amazon-bedrock/cost.js';
import { DEMO, demoEndpoint } from '../../support/chat.js';
import { serviceAccount } from '../../support/fakes/fake-vertex/account.js';
import { TENANCY } from '../../support/tenancy.js';
import type { Bench } from '../bench.js';
import type { Measurement } from '../measurement.js';
import { startProvider } from '../processes.js';
import { anthropicEvents, geminiEvents, openAiEvents } from './event-texts.js';

const STREAMS = 1_000;
const WARM_UP = 200;
const AT_ONCE = 16;
const ROUNDS = 5;

const MODEL = 'gemini-2.5-flash';
const messages = [{ role: 'user' as const, content: 'Hello there' }];

/** The same stream over an adapter and over the provider's own client. */
interface Twins {
  readonly name: AdapterName;
  readonly client: string;
  ours(): Promise<void>;
  theirs(): Promise<void>;
}

/** CPU of a stream over each adapter beside the provider's own client, both in this process. */
export async function measureAdapters(bench: Bench): Promise<Measurement[]> {
  const upstream = createUpstream({ clock: systemClock, allowPrivateUpstreams: true });
  const provider = await startProvider('events', {
    answers: [
      { word: '/token', type: 'application/json', file: bench.write('token', TOKEN) },
      { word: '/chat/completions', type: SSE, file: bench.write('openai', openAiEvents()) },
      { word: '/messages', type: SSE, file: bench.write('anthropic', anthropicEvents()) },
      { word: ':streamGenerateContent', type: SSE, file: bench.write('gemini', geminiEvents()) },
    ],
  });
  const measurements: Measurement[] = [];
  for (const { name, client, ours, theirs } of twinsAt(provider.url, upstream.adapters)) {
    measurements.push(measurement(name, client, await cpuOf(ours), await cpuOf(theirs)));
  }
  await Promise.all([upstream.close(), provider.stop()]);
  const bedrock = await startProvider('bedrock', {});
  const { adapterMs, officialClientMs } = await costOfStreams(bedrock.url, STREAMS);
  await bedrock.stop();
  const sdk = '@aws-sdk/client-bedrock-runtime';
  return [...measurements, measurement('amazon-bedrock', sdk, adapterMs, officialClientMs)];
}

const SSE = 'text/event-stream; charset=utf-8';
const TOKEN = JSON.stringify({ access_token: 'ya29.bench', expires_in: 3599, token_type: 'Bearer' });

function measurement(adapter: string, client: string, adapterMs: number, clientMs: number): Measurement {
  return {
    title: `CPU of a stream over the adapter ${adapter}`,
    unit: 'us',
    byway: adapterMs * 1000,
    peer: clientMs * 1000,
    peerIs: client,
  };
}

function twinsAt(origin: string, adapters: ReadonlyMap<AdapterName, UpstreamAdapter>): Twins[] {
  const openAi = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'sk-bench', maxRetries: 0 });
  const azure = new AzureOpenAI({
    endpoint: origin,
    apiKey: 'bench',
    apiVersion: '2024-10-21',
    maxRetries: 0,
  });
  const anthropic = new Anthropic({ baseURL: origin, apiKey: 'sk-bench', maxRetries: 0 });
  const gemini = new GoogleGenAI({
    vertexai: true,
    project: 'fake-project',
    location: 'global',
    httpOptions: { baseUrl: origin, headers: { authorization: 'Bearer ya29.bench' }, apiVersion: 'v1' },
    // All that the client asks of it are headers, of which it has none.
    googleAuthOptions: { authClient: { getRequestHeaders: async () => new Headers() } as never },
  });
  const over = (name: AdapterName, baseUrl: string, credential: unknown, model = 'm') =>
    streamOver(adapters, { name, baseUrl, credential, model });
  return [
    {
      name: 'openai',
      client: 'openai',
      ours: over('openai', `${origin}/v1`, { adapter: 'openai', apiKey: 'sk-bench' }),
      theirs: async () =>
        drain(
          await openAi.chat.completions.create({
            model: 'm',
            messages,
            stream: true,
            stream_options: { include_usage: true },
          }),
        ),
    },
    {
      name: 'azure',
      client: 'openai (AzureOpenAI)',
      ours: over('azure', origin, AZURE_RESOURCE),
      theirs: async () => drain(await azure.chat.completions.create({ model: 'm', messages, stream: true })),
    },
    {
      name: 'anthropic',
      client: '@anthropic-ai/sdk',
      ours: over('anthropic', `${origin}/v1`, { adapter: 'anthropic', apiKey: 'sk-bench' }),
      theirs: async () =>
        drain(await anthropic.messages.create({ model: 'm', messages, max_tokens: 100, stream: true })),
    },
    {
      name: 'google-vertex',
      client: '@google/genai',
      ours: over('google-vertex', origin, vertexCredential(`${origin}/token`), MODEL),
      theirs: async () =>
        drain(await gemini.models.generateContentStream({ model: MODEL, contents: 'Hello there' })),
    },
  ];
}

const AZURE_RESOURCE = {
  kind: 'resource',
  apiKey: 'bench',
  resourceName: 'bench',
  resourceType: 'deployment',
};

function vertexCredential(tokenUri: string): unknown {
  const parsed = parseVertex(serviceAccount(tokenUri), true);
  if (!('ok' in parsed)) throw new Error(JSON.stringify(parsed.violations));
  return parsed.ok;
}

/** What a call over an adapter needs. */
interface AdapterCall {
  readonly name: AdapterName;
  readonly baseUrl: string;
  readonly credential: unknown;
  readonly model: string;
}

function streamOver(
  adapters: ReadonlyMap<AdapterName, UpstreamAdapter>,
  { name, baseUrl, credential, model }: AdapterCall,
): () => Promise<void> {
  const adapter = adapters.get(name);
  if (adapter === undefined) throw new Error(`there is no adapter ${name}`);
  const call = {
    endpoint: demoEndpoint(model),
    provider: { ...DEMO, slug: name, adapter: name, baseUrl },
    region: null,
    credential,
    format: 'chat',
    body: { model, messages },
    reasoning: null,
    onFirstByte: () => undefined,
    tenancy: TENANCY,
  } as const;
  return () => drain(adapter.stream({ ...call, signal: new AbortController().signal }));
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  let count = 0;
  for await (const _ of stream) count += 1;
  if (count < 20) throw new Error(`a stream of ${count} pieces is not whole`);
}

/** CPU milliseconds of one: the min of the rounds, since disturbances only ever add. */
async function cpuOf(stream: () => Promise<void>): Promise<number> {
  await runTimes(stream, WARM_UP);
  let min = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    await runTimes(stream, STREAMS / ROUNDS);
    const { user, system } = process.cpuUsage(before);
    min = Math.min(min, (user + system) / 1000 / (STREAMS / ROUNDS));
  }
  return min;
}

async function runTimes(stream: () => Promise<void>, times: number): Promise<void> {
  let left = times;
  const run = async () => {
    while (left-- > 0) await stream();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}
