import { rerankModel } from '../../support/catalog.js';
import { RERANK_KEY, type RerankPlan, startRerankHost } from '../../support/fakes/fake-rerank-host.js';
import { startMoneyGateway } from '../../support/money.js';
import { addKey, share } from '../../support/providers.js';
import { type Row, recordOf } from '../../support/rest.js';

export const MODEL = 'test/rerank';
export const QUERY = 'What is the capital of France?';
export const DOCUMENTS = [
  'Berlin is in Germany.',
  'Paris is in France.',
  'Madrid is in Spain.',
  'Rome is in Italy.',
];

/** USD of a search, and of a token. */
export const SEARCH_PRICE = 0.002;
export const TOKEN_PRICE = 0.00000005;

interface Options {
  /** Of each host, in the order in which they are tried. */
  readonly plans?: readonly RerankPlan[];
  readonly capacity?: 'shared capacity' | 'BYOK keys';
  readonly pricing?: object;
  /** The slug of the first; hosts that are known are known by it. */
  readonly slug?: string;
}

/** A gateway in front of hosts of reranking. */
export async function startRerank({
  plans = [{}],
  capacity = 'shared capacity',
  pricing = { prompt: '0', completion: '0', request: String(SEARCH_PRICE) },
  slug = 'host',
}: Options = {}) {
  const hosts = await Promise.all(plans.map((plan) => startRerankHost(plan)));
  const slugs = hosts.map((_, index) => (index === 0 ? slug : `${slug}-${index}`));
  const gateway = await startMoneyGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    providers: hosts.map(({ baseUrl }, index) => ({
      slug: slugs[index],
      name: slugs[index],
      adapter: 'openai',
      base_url: baseUrl,
    })),
    models: [
      rerankModel(
        MODEL,
        slugs.map((provider) => ({ provider, upstream_model_id: 'reranker', pricing })),
      ),
    ],
  });
  for (const one of slugs) {
    if (capacity === 'shared capacity') await share(gateway, one, RERANK_KEY);
    else await addKey(gateway, one, RERANK_KEY);
  }
  const rerank = (more: object = {}, path = '/rerank') =>
    gateway.use('POST', path, { model: MODEL, query: QUERY, documents: DOCUMENTS, ...more });
  return { gateway, hosts, rerank };
}

/** The positions of the documents of an answer. */
export function indexesIn(answer: Row): unknown[] {
  return (answer.results as Row[]).map(({ index }) => index);
}

/** The record of an answer. */
export async function recordIn(
  { gateway }: Pick<Awaited<ReturnType<typeof startRerank>>, 'gateway'>,
  { id }: Row,
): Promise<Row> {
  return recordOf(await gateway.use('GET', `/generation?id=${String(id)}`));
}
