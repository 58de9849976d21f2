/** One server that plays every provider: it takes what it is sent, drops it, and refuses it. */
import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** The providers of `sinkCatalog`, by what their adapters make of a request. */
export const SINK_SLUGS = [
  'openai',
  'anthropic',
  'bedrock',
  'gemini',
  'vertex-claude',
  'claude-native',
] as const;
export type SinkSlug = (typeof SINK_SLUGS)[number];

export interface Sink {
  readonly origin: string;
  /** How many requests to models have come. */
  received(): number;
  /** An image, of this many bytes. */
  image(bytes: number): string;
  close(): Promise<void>;
}

const REFUSAL = JSON.stringify({ error: { message: 'No', type: 'invalid_request_error' } });
const TOKEN = JSON.stringify({ access_token: 'sink', expires_in: 3600, token_type: 'Bearer' });

export async function startSink(): Promise<Sink> {
  let received = 0;
  const server = http.createServer((request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://sink');
    request.resume().once('end', () => {
      if (pathname === '/image') {
        answer.writeHead(200, { 'content-type': 'image/png' });
        answer.end(Buffer.alloc(Number(searchParams.get('bytes'))));
        return;
      }
      const isToken = pathname === '/token';
      if (!isToken) received += 1;
      answer.writeHead(isToken ? 200 : 400, { 'content-type': 'application/json' });
      answer.end(isToken ? TOKEN : REFUSAL);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    received: () => received,
    image: (bytes) => `${origin}/image?bytes=${bytes}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const ADAPTERS: Readonly<Record<SinkSlug, readonly [adapter: string, upstreamModel: string]>> = {
  openai: ['openai', 'gpt-sink'],
  anthropic: ['anthropic', 'claude-haiku-4-5'],
  bedrock: ['amazon-bedrock', 'anthropic.claude-3-haiku-20240307-v1:0'],
  gemini: ['google-vertex', 'gemini-2.5-flash'],
  'vertex-claude': ['google-vertex', 'claude-haiku-4-5'],
  'claude-native': ['anthropic', 'claude-haiku-4-5'],
};

/** Nothing that is sent is too long, and hardly anything costs. */
const LIMITLESS_CONTEXT = 100_000_000;
const TINY_PRICES = { prompt: '0.0000000001', completion: '0.0000000001' };

/** Providers and models `sink/SLUG` of a catalogue. Only `claude-native` is asked in the Messages format. */
export function sinkCatalog({ origin }: Sink) {
  return {
    providers: SINK_SLUGS.map((slug) => ({
      slug,
      name: slug,
      adapter: ADAPTERS[slug][0],
      base_url: ADAPTERS[slug][0] === 'openai' ? `${origin}/v1` : origin,
    })),
    models: SINK_SLUGS.map((slug) => ({
      id: `sink/${slug}`,
      name: slug,
      created: 1_750_000_000,
      architecture: { modality: 'text->text', input_modalities: ['text'], output_modalities: ['text'] },
      pricing: TINY_PRICES,
      context_length: LIMITLESS_CONTEXT,
      supported_parameters: ['tools', 'tool_choice', 'response_format', 'structured_outputs'],
      endpoints: [
        {
          provider: slug,
          upstream_model_id: ADAPTERS[slug][1],
          pricing: TINY_PRICES,
          context_length: LIMITLESS_CONTEXT,
          formats: formatsOf(slug),
        },
      ],
    })),
  };
}

/** The adapter of Anthropic speaks Messages alone: without a format it is asked in translation. */
function formatsOf(slug: SinkSlug): readonly string[] {
  if (slug === 'anthropic') return [];
  return [slug === 'claude-native' ? 'messages' : 'chat'];
}

/** A credential that each of them takes. */
export function sinkCredential({ origin }: Sink, slug: SinkSlug): unknown {
  const [adapter] = ADAPTERS[slug];
  if (adapter !== 'google-vertex') return 'sk-sink-0123456789abcdefghijkl';
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    type: 'service_account',
    project_id: 'sink-project',
    private_key_id: '0123456789abcdef0123456789abcdef01234567',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'sink@sink-project.iam.gserviceaccount.com',
    token_uri: `${origin}/token`,
  };
}
