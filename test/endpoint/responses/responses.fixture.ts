import { demoModel } from '../../support/catalog.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { FAKE_API_KEY, type FakeOpenAi, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { startGateway, type TestGateway, type TestGatewayOptions } from '../../support/gateway.js';
import { share } from '../../support/providers.js';
import { type Answer, bodyOf, type Call, caller, type Row, recordOf, rowsOf } from '../../support/rest.js';

const PRICES = { prompt: '0.000002', completion: '0.000008', input_cache_read: '0.0000005' };

/** By format. Of the first host nothing is known. */
const HOSTS = { chat: 'host', responses: 'openai' } as const;

export interface ResponsesGateway extends TestGateway {
  readonly host: FakeOpenAi;
  readonly manage: Call;
  readonly use: Call;
  /** Answers a request in the lane that its model names: `test/chat` or `test/responses`. */
  ask(body: object): Promise<Answer>;
  /** The last body that the host got. */
  sent(): Row;
}

/** A gateway in front of two models: one at a host that speaks chats alone, the other at OpenAI, by Responses alone. */
export async function startResponses(
  plans: readonly FakePlan[] = [{}],
  options: Omit<TestGatewayOptions, 'catalog'> & { readonly endpoint?: object; readonly model?: object } = {},
): Promise<ResponsesGateway> {
  const { endpoint, model, ...rest } = options;
  const host = await startFakeOpenAi();
  for (const name of ['chat', 'responses']) host.plan(name, ...plans);
  const gateway = await startGateway({
    ...rest,
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', ...rest.env },
    catalog: {
      providers: Object.values(HOSTS).map((slug) => ({
        ...{ slug, name: slug, adapter: 'openai', base_url: host.baseUrl },
      })),
      models: Object.entries(HOSTS).map(([name, provider]) =>
        demoModel(
          `test/${name}`,
          [{ provider, upstream_model_id: name, formats: [name], pricing: PRICES, ...endpoint }],
          { context_length: 400_000, ...model },
        ),
      ),
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  const use = caller(gateway, gateway.apiKey);
  for (const provider of Object.values(HOSTS))
    recordOf(await manage('POST', '/byok', { provider, key: FAKE_API_KEY }));
  return {
    ...gateway,
    ...{ host, manage, use },
    ask: (body) => use('POST', '/responses', body),
    sent: () => host.requests.at(-1)?.body as Row,
  };
}

/** Gives the hosts shared credentials in place of the account's keys. */
export async function overShared(gateway: ResponsesGateway): Promise<void> {
  for (const row of rowsOf(await gateway.manage('GET', '/byok'))) {
    const { status } = await gateway.manage('DELETE', `/byok/${row.id}`);
    if (status !== 200) throw new Error(`a key is not deleted: ${status}`);
  }
  for (const provider of Object.values(HOSTS)) await share(gateway, provider, FAKE_API_KEY);
}

/** An event of a stream, whose name is its type. */
export interface Event extends Row {
  readonly type: string;
}

export function eventsIn({ text }: Answer): readonly Event[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [name = '', data = ''] = block.split('\n');
      const event: Event = JSON.parse(data.slice('data: '.length));
      if (name !== `event: ${event.type}`) throw new Error(`${event.type} is called ${name}`);
      return event;
    });
}

/** The answer, in one piece or as the last event of a stream has it. */
export function responseIn(answer: Answer): Row {
  if (!answer.text.startsWith('event: ')) return bodyOf(answer);
  return eventsIn(answer).at(-1)?.response as Row;
}
