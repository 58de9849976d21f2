/** Responses requests to a fake, as they come. */
import type { JsonObject } from '../../../../src/formats/chat/types.js';
import type { NativeEvent, UpstreamCall, UpstreamEvent } from '../../../../src/inference/ports/adapter.js';
import type { FakePlan } from '../../../support/fakes/fake-openai/plan.js';
import { startFakeOpenAi } from '../../../support/fakes/fake-openai.js';
import { callTo, eventsOf, startAdapter } from '../adapter.fixture.js';

interface Asked {
  readonly body?: JsonObject;
  readonly model?: string;
}

/** A fake whose models follow the plan, and the adapter that calls it. */
export async function startResponses(plan: FakePlan = {}) {
  const fake = await startFakeOpenAi();
  const adapter = startAdapter();
  const adapted: [string, string][] = [];
  const call = ({ body = {}, model = 'gpt-4.1' }: Asked = {}): UpstreamCall<never, 'responses'> => {
    fake.plan(model, plan);
    const { endpoint, body: _, reasoning: __, ...commons } = callTo(fake.baseUrl, model);
    return {
      ...commons,
      format: 'responses',
      endpoint: { ...endpoint, modelId: model, provider: 'openai', formats: ['responses'] },
      body: { model: 'asked', input: 'Hi', ...body },
      onAdapted: (name: string, how: string) => adapted.push([name, how]),
    } as never;
  };
  return {
    fake,
    adapted,
    complete: (asked?: Asked) => adapter.complete(call(asked)),
    stream: (asked?: Asked) => eventsOf(adapter.stream(call(asked))),
    count: async (asked?: Asked) => adapter.countTokens?.(call(asked)),
    /** The body of the last request. */
    sent: () => fake.requests.at(-1)?.body as JsonObject,
  };
}

/** The events as they came. */
export function nativeIn(events: readonly UpstreamEvent[]): JsonObject[] {
  return events.map((event) => (event as NativeEvent).event.value as JsonObject);
}

/** What they tell in terms of a chat. */
export function toldIn(events: readonly UpstreamEvent[]) {
  return events.flatMap((event) => (event as NativeEvent).normalized);
}
