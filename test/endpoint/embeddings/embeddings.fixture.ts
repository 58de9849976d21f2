import { embeddingModel } from '../../support/catalog.js';
import {
  EMBEDDING_KEY,
  type EmbeddingPlan,
  startEmbeddingHost,
} from '../../support/fakes/fake-embedding-host.js';
import { startMoneyGateway } from '../../support/money.js';
import { addKey, share } from '../../support/providers.js';
import { type Row, recordOf } from '../../support/rest.js';

export const MODEL = 'test/embed';

/** USD of a token. */
export const PRICE = 0.00000013;

interface Options {
  /** Of each host, in the order in which they are tried. */
  readonly plans?: readonly EmbeddingPlan[];
  readonly capacity?: 'shared capacity' | 'BYOK keys';
  /** The model's id; those of OpenAI's take tokens. */
  readonly model?: string;
  readonly slug?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A gateway in front of hosts of embeddings. */
export async function startEmbeddings({
  plans = [{}],
  capacity = 'shared capacity',
  model = MODEL,
  slug = 'host',
  env = {},
}: Options = {}) {
  const hosts = await Promise.all(plans.map((plan) => startEmbeddingHost(plan)));
  const slugs = hosts.map((_, index) => (index === 0 ? slug : `${slug}-${index}`));
  const gateway = await startMoneyGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', ...env },
    providers: hosts.map(({ baseUrl }, index) => ({
      slug: slugs[index],
      name: slugs[index],
      adapter: 'openai',
      base_url: baseUrl,
    })),
    models: [
      embeddingModel(
        model,
        slugs.map((provider, index) => ({
          provider,
          upstream_model_id: 'embed-1',
          pricing: { prompt: (PRICE * (index + 1)).toFixed(9), completion: '0' },
        })),
      ),
    ],
  });
  for (const one of slugs) {
    if (capacity === 'shared capacity') await share(gateway, one, EMBEDDING_KEY);
    else await addKey(gateway, one, EMBEDDING_KEY);
  }
  const embed = (more: object = {}) => gateway.use('POST', '/embeddings', { model, input: 'Hello', ...more });
  return { gateway, hosts, embed };
}

/** A gateway in front of one host with quirks, over shared capacity. */
export async function startQuirky(quirks: object, plan: EmbeddingPlan) {
  const host = await startEmbeddingHost(plan);
  const gateway = await startMoneyGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    providers: [{ slug: 'host', name: 'Host', adapter: 'openai', base_url: host.baseUrl, quirks }],
    models: [
      embeddingModel(MODEL, [
        {
          provider: 'host',
          upstream_model_id: 'embed-1',
          pricing: { prompt: PRICE.toFixed(9), completion: '0' },
        },
      ]),
    ],
  });
  await share(gateway, 'host', EMBEDDING_KEY);
  const embed = (more: object = {}) =>
    gateway.use('POST', '/embeddings', { model: MODEL, input: 'Hello', ...more });
  return { host, gateway, embed };
}

/** The embeddings of an answer, by position. */
export function vectorsIn(answer: Row): unknown[] {
  return (answer.data as Row[]).map(({ embedding }) => embedding);
}

/** The record of an answer. */
export async function recordIn(
  { gateway }: Awaited<ReturnType<typeof startEmbeddings>>,
  { id }: Row,
): Promise<Row> {
  return recordOf(await gateway.use('GET', `/generation?id=${String(id)}`));
}
