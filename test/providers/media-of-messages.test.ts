import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/formats/chat/types.js';
import type { UpstreamCall } from '../../src/inference/ports/adapter.js';
import { bedrock } from '../../src/providers/amazon-bedrock/index.js';
import { vertex } from '../../src/providers/google-vertex/index.js';
import type { Codec } from '../../src/providers/http/codec.js';
import { createInlineMedia } from '../../src/providers/http/inline-media.js';
import { DEMO, demoEndpoint } from '../support/chat.js';

const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');

/** What is at the addresses, with the media types that servers name. */
const SERVED: Readonly<Record<string, readonly [type: string, bytes: Buffer]>> = {
  'https://pictures.example/a.png': ['image/png', JPEG],
  'https://papers.example/a.pdf': ['application/pdf', Buffer.from('%PDF-1.7')],
  'https://papers.example/a.txt': ['text/plain; charset=utf-8', Buffer.from('Grüezi')],
};

const fetched: string[] = [];
const inlineMedia = createInlineMedia({
  guardedHttp: {
    send: async ({ url }: { url: URL }) => {
      fetched.push(url.href);
      const [type, bytes] = SERVED[url.href] ?? [];
      return { status: 200, headers: { 'content-type': type }, body: [bytes] };
    },
  } as never,
  allowHttp: false,
});
const unused = undefined as never;

const HOSTS = [
  [
    'amazon-bedrock',
    'anthropic.claude-sonnet-4-6',
    bedrock({ http: unused, inlineMedia, clock: unused }),
    { kind: 'bearer', apiKey: 'k', region: 'us-east-1' },
  ],
  [
    'google-vertex',
    'claude-sonnet-4-6',
    vertex({ http: unused, tokens: unused, inlineMedia }),
    { projectId: 'p' },
  ],
] as const;

const at = (url: string) => ({ type: 'url', url });

it.each(HOSTS)(
  'media that a Messages request names by address are fetched for %s, and labelled by their bytes',
  async (adapter, upstreamModelId, { formats }, credential) => {
    fetched.length = 0;
    const body: JsonObject = {
      max_tokens: 10,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: at('https://pictures.example/a.png') },
            { type: 'document', title: 'A', source: at('https://papers.example/a.pdf') },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't',
              content: [
                { type: 'image', source: at('https://pictures.example/a.png') },
                { type: 'document', source: at('https://papers.example/a.txt') },
              ],
            },
          ],
        },
      ],
    };
    const call = {
      ...{ format: 'messages', body, credential, region: 'us-east-1', tenancy: {} },
      endpoint: { ...demoEndpoint('m'), upstreamModelId, provider: adapter },
      provider: { ...DEMO, slug: adapter, adapter, baseUrl: 'https://host' },
      signal: new AbortController().signal,
    } as unknown as UpstreamCall<never, 'messages'>;
    const codec = formats.messages as Codec<never, 'messages'>;
    const { body: sent } = await codec.request(codec.fit(call).call, false);
    const image = { type: 'base64', media_type: 'image/jpeg', data: JPEG.toString('base64') };
    const [first, , last] = sent.messages as { content: { content?: unknown }[] }[];
    expect(first?.content).toEqual([
      { type: 'image', source: image },
      {
        type: 'document',
        title: 'A',
        source: {
          type: 'base64',
          media_type: 'application/pdf',
          data: Buffer.from('%PDF-1.7').toString('base64'),
        },
      },
    ]);
    expect(last?.content[0]?.content).toEqual([
      { type: 'image', source: image },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Grüezi' } },
    ]);
    expect(fetched.toSorted()).toEqual(Object.keys(SERVED).toSorted());
  },
);
