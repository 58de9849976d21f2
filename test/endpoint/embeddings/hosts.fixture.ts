/** A gateway in front of a strict fake of each host of embeddings. */
import type { AdapterName } from '../../../src/catalog/types.js';
import { embeddingModel } from '../../support/catalog.js';
import { FAKE_AZURE_KEY } from '../../support/fakes/fake-azure.js';
import {
  FAKE_API_KEY as BEDROCK_KEY,
  FAKE_ACCESS_KEY,
  FAKE_REGION,
  startFakeBedrock,
} from '../../support/fakes/fake-bedrock.js';
import { EMBEDDING_KEY, startEmbeddingHost, vectorOfInput } from '../../support/fakes/fake-embedding-host.js';
import { startFakeVertex } from '../../support/fakes/fake-vertex.js';
import { type MoneyGateway, startMoneyGateway } from '../../support/money.js';
import { addKey, type Capacity, share } from '../../support/providers.js';
import { COHERE_V3, COHERE_V4, TITAN_1, TITAN_2 } from '../../support/strict/embeddings/bedrock.js';
import { OPENAI_LIKE } from '../../support/strict/embeddings/openai.js';
import { RETRIEVAL } from '../../support/strict/embeddings/retrieval.js';
import { type EmbeddingsHost, embeddingsRefusal } from '../../support/strict/embeddings/rule.js';
import { VERTEX_GEMINI, VERTEX_GEMINI_2, VERTEX_TEXT } from '../../support/strict/embeddings/vertex.js';
import { list, record, records } from '../../support/strict/native/values.js';

/** What a call with these inputs meets; nothing else than an answer at once. */
export type Behaviour = (inputs: readonly unknown[]) => {
  readonly delayMs?: number;
  readonly status?: number;
};

/** A fake while it runs. */
interface Running {
  readonly baseUrl: string;
  /** Credentials that it takes. */
  readonly keys: readonly unknown[];
  /** The bodies that it got, in order. */
  bodies(): readonly unknown[];
  behave(behaviour: Behaviour): void;
}

export interface HostRow {
  readonly host: EmbeddingsHost;
  /** Also the slug of its provider, by which hosts are known. */
  readonly slug: string;
  readonly adapter: Exclude<AdapterName, 'demo' | 'anthropic'>;
  readonly maxInputs: number;
  /** Of all inputs of a call together. */
  readonly maxTokens?: number;
  /** Of its vectors, where the request names none. */
  readonly dimensions: number;
  /** Another number of them, which it takes; null where it takes none. */
  readonly fewer: number | null;
  start(): Promise<Running>;
}

const ROWS: readonly HostRow[] = [
  { ...copy('openai', OPENAI_LIKE.openai, 2048), maxTokens: 300_000 },
  { ...copy('azure', OPENAI_LIKE.azure, 2048), maxTokens: 300_000, adapter: 'azure' },
  copy('alibaba', OPENAI_LIKE.alibaba, 10),
  copy('fireworks', OPENAI_LIKE.fireworks, 2048),
  copy('google-ai-studio', OPENAI_LIKE.studio, 100),
  { ...copy('mistral', OPENAI_LIKE.mistral, 512), maxTokens: 16_384 },
  { ...copy('z-ai', OPENAI_LIKE.zAi, 64), fewer: 256 },
  copy('jina', RETRIEVAL.jina, 512),
  { ...copy('voyage', RETRIEVAL.voyage, 1000), maxTokens: 120_000 },
  copy('nvidia', RETRIEVAL.nvidia, 2048),
  copy('siliconflow', RETRIEVAL.siliconflow, 64),
  copy('deepinfra', RETRIEVAL.deepinfra, 1024),
  vertex(VERTEX_GEMINI, 1, 3072),
  vertex(VERTEX_GEMINI_2, 1, 3072),
  { ...vertex(VERTEX_TEXT, 250, 768), maxTokens: 20_000 },
  bedrock(TITAN_1, 1, 1536, null),
  bedrock(TITAN_2, 1, 1024, 256),
  bedrock(COHERE_V3, 96, 1024, null),
  bedrock(COHERE_V4, 96, 1536, 512),
];

/** For `describe.each`. */
export const BY_NAME = ROWS.map((row) => [row.host.name, row] as const);

/** Hosts that take less in a call than a request may have. */
export const DIVIDED = BY_NAME.filter(([, { maxInputs }]) => maxInputs < 2048);

/** Hosts that take fewer tokens in a call than its inputs may have. */
export const DIVIDED_BY_TOKENS = BY_NAME.flatMap(([name, row]) =>
  row.maxTokens === undefined ? [] : [[name, row, row.maxTokens] as const],
);

/** What hosts of Google's make of length 1 only where all dimensions are asked for. */
const SHORTENED: readonly string[] = ['google-ai-studio', 'vertex-gemini', 'vertex-gemini-2'];

/** The vector that the client gets of a text. */
export function expectedVector({ host, dimensions }: HostRow, text: unknown, asked?: number): number[] {
  const vector = vectorOfInput(text, asked ?? dimensions);
  if (asked === undefined || !SHORTENED.includes(host.name)) return vector;
  const length = Math.hypot(...vector);
  return vector.map((number) => number / length);
}

/** The inputs of a body that a host got, in whichever form it has. */
export function inputsSent(body: unknown): readonly unknown[] {
  const { input, instances, inputText, texts, content } = record(body);
  if (content !== undefined) return records(record(content).parts).map(({ text }) => text);
  if (instances !== undefined) return records(instances).map(({ content }) => content);
  if (inputText !== undefined) return [inputText];
  const inputs = texts ?? input;
  if (!Array.isArray(inputs)) return [inputs];
  return typeof inputs[0] === 'number' ? [inputs] : list(inputs);
}

/** The model of OpenAI's hosts is one of theirs, whose tokens they know. */
export function modelAt({ slug }: Pick<HostRow, 'slug'>): string {
  return slug === 'openai' || slug === 'azure' ? 'openai/embed' : 'test/embed';
}

/** USD of a token. */
export const PRICE = 0.00000013;

interface Options {
  readonly capacity?: Capacity;
  /** How many of the fake's keys are stored. */
  readonly keys?: number;
  /** Whether another host has the model too, which is tried when this one fails. */
  readonly hasSpare?: boolean;
}

export async function startHost(
  row: HostRow,
  { capacity = 'shared capacity', keys = 1, hasSpare = false }: Options = {},
) {
  const { slug, adapter, host } = row;
  const running = await row.start();
  const spare = hasSpare ? await startEmbeddingHost() : undefined;
  const model = modelAt(row);
  const gateway = await startMoneyGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    providers: [
      { slug, name: slug, adapter, base_url: running.baseUrl },
      ...(spare ? [{ slug: 'spare', name: 'spare', adapter: 'openai', base_url: spare.baseUrl }] : []),
    ],
    models: [
      embeddingModel(
        model,
        [
          { provider: slug, upstream_model_id: host.model, pricing: priced(PRICE) },
          ...(spare ? [{ provider: 'spare', upstream_model_id: 'embed-1', pricing: priced(2 * PRICE) }] : []),
        ],
        { context_length: 1_000_000 },
      ),
    ],
  });
  for (const key of running.keys.slice(0, keys)) {
    const text = typeof key === 'string' ? key : JSON.stringify(key);
    if (capacity === 'shared capacity') await share(gateway, slug, text, adapter);
    else await storeKey(gateway, slug, key);
  }
  if (spare !== undefined) {
    if (capacity === 'shared capacity') await share(gateway, 'spare', EMBEDDING_KEY);
    else await addKey(gateway, 'spare', EMBEDDING_KEY);
  }
  const embed = (more: object = {}) => gateway.use('POST', '/embeddings', { model, input: 'Hello', ...more });
  return { gateway, running, spare, embed };
}

function priced(usd: number) {
  return { prompt: usd.toFixed(9), completion: '0' };
}

async function storeKey({ manage }: MoneyGateway, provider: string, key: unknown): Promise<void> {
  const { status, text } = await manage('POST', '/byok', { provider, key });
  if (status >= 300) throw new Error(text);
}

/** A host that copies OpenAI's format. */
function copy(slug: string, host: EmbeddingsHost, maxInputs: number): HostRow {
  const isAzure = slug === 'azure';
  const azureKey = (api_key: string) => [{ api_key, resource_name: 'r', resource_type: 'catalog' }];
  return {
    ...{ slug, host, maxInputs, adapter: 'openai', dimensions: 4, fewer: 2 },
    async start() {
      let behaviour: Behaviour = () => ({});
      const met = new WeakMap<readonly unknown[], ReturnType<Behaviour>>();
      const meets = (inputs: readonly unknown[]) => {
        const known = met.get(inputs) ?? behaviour(inputs);
        met.set(inputs, known);
        return known;
      };
      const fake = await startEmbeddingHost({
        refuses: (body) => embeddingsRefusal(host, body),
        status: (inputs) => meets(inputs).status,
        delayMs: (inputs) => meets(inputs).delayMs ?? 0,
      });
      return {
        baseUrl: isAzure ? fake.origin : fake.baseUrl,
        keys: isAzure
          ? [azureKey(FAKE_AZURE_KEY), azureKey(FAKE_AZURE_KEY.replace('fa', 'af'))]
          : [EMBEDDING_KEY, `${EMBEDDING_KEY}-2`],
        bodies: () => fake.calls.map(({ body }) => body),
        behave: (next) => {
          behaviour = next;
        },
      };
    },
  };
}

function vertex(host: EmbeddingsHost, maxInputs: number, dimensions: number): HostRow {
  return {
    ...{ slug: 'google-vertex', host, maxInputs, adapter: 'google-vertex', dimensions, fewer: 128 },
    async start() {
      const fake = await startFakeVertex();
      const account = (more: object = {}) => JSON.parse(fake.serviceAccount(more));
      return {
        baseUrl: fake.origin,
        keys: [account(), account({ region: 'us-central1' })],
        bodies: () => fake.requests.map(({ body }) => body),
        behave: (behaviour) => fake.plan(host.model, (body) => planned(behaviour(inputsSent(body)))),
      };
    },
  };
}

function bedrock(host: EmbeddingsHost, maxInputs: number, dimensions: number, fewer: number | null): HostRow {
  return {
    ...{ slug: 'amazon-bedrock', host, maxInputs, adapter: 'amazon-bedrock', dimensions, fewer },
    async start() {
      const fake = await startFakeBedrock();
      return {
        baseUrl: fake.baseUrl,
        keys: [BEDROCK_KEY, { ...FAKE_ACCESS_KEY, region: FAKE_REGION }],
        bodies: () => fake.requests.map(({ body }) => body),
        behave: (behaviour) => fake.plan(host.model, (body) => planned(behaviour(inputsSent(body)))),
      };
    },
  };
}

function planned({ delayMs, status }: ReturnType<Behaviour>) {
  return {
    ...(delayMs !== undefined && { delayMs }),
    ...(status !== undefined && { status, body: { message: 'planned' } }),
  };
}
