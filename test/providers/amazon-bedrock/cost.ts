/** The CPU cost of a stream, for benchmarks: nothing here needs a test runner. */

import { ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { bedrock } from '../../../src/providers/amazon-bedrock/index.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { createInlineMedia } from '../../../src/providers/http/inline-media.js';
import { DEMO, demoEndpoint } from '../../support/chat.js';
import { FAKE_ACCESS_KEY, FAKE_REGION } from '../../support/fakes/fake-bedrock/serve.js';
import { TENANCY } from '../../support/tenancy.js';
import { officialClient } from './official-client.fixture.js';

const MODEL = 'anthropic.claude-sonnet-4-5-20250929-v1:0';

/** CPU milliseconds of one stream, from the request to its end. */
export interface StreamCost {
  readonly adapterMs: number;
  readonly officialClientMs: number;
}

/** CPU of the same stream over the adapter and over the official client, from a fake that another process serves. */
export async function costOfStreams(baseUrl: string, streams: number): Promise<StreamCost> {
  const http = createHttp();
  const adapter = createAdapter(
    bedrock({
      http,
      inlineMedia: createInlineMedia({ guardedHttp: http, allowHttp: true }),
      clock: { now: Date.now },
    }),
    { now: Date.now },
  );
  const official = officialClient(baseUrl, FAKE_ACCESS_KEY);
  const call = {
    endpoint: demoEndpoint(MODEL),
    provider: { ...DEMO, slug: 'amazon-bedrock', adapter: 'amazon-bedrock', baseUrl },
    region: FAKE_REGION,
    credential: { adapter: 'amazon-bedrock', kind: 'access_key', ...FAKE_ACCESS_KEY, region: FAKE_REGION },
    format: 'chat',
    body: { model: MODEL, messages: [{ role: 'user', content: 'Hello there' }] },
    reasoning: null,
    signal: new AbortController().signal,
    onFirstByte: () => undefined,
    tenancy: TENANCY,
  } as const;
  const input = {
    modelId: MODEL,
    messages: [{ role: 'user' as const, content: [{ text: 'Hello there' }] }],
  };
  const ours = async () => {
    for await (const _ of adapter.stream(call));
  };
  const theirs = async () => {
    const { stream } = await official.send(new ConverseStreamCommand(input));
    for await (const _ of stream ?? []);
  };
  try {
    return { adapterMs: await cpuOf(ours, streams), officialClientMs: await cpuOf(theirs, streams) };
  } finally {
    official.destroy();
    await http.close();
  }
}

const WARM_UP = 50;
const AT_ONCE = 16;

async function cpuOf(stream: () => Promise<void>, streams: number): Promise<number> {
  for (let count = 0; count < WARM_UP; count += 1) await stream();
  const before = process.cpuUsage();
  let left = streams;
  const run = async () => {
    while (left-- > 0) await stream();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / streams;
}
