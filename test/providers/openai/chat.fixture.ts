import type { InferenceDependencies } from '../../../src/inference/run/dependencies.js';
import type { Attempt } from '../../../src/routing/types.js';
import { type Bench, bench, demoEndpoint, sharedAttempt } from '../../support/chat.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { type FakeOpenAi, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { CREDENTIAL, openAiProvider, startAdapter } from './adapter.fixture.js';

/** A whole chat over the real adapter and a fake provider, one attempt for each of the models named. */
export async function openAiBench(
  plans: Readonly<Record<string, FakePlan>>,
  models: readonly string[],
  overrides: Partial<InferenceDependencies> = {},
): Promise<{ table: Bench; fake: FakeOpenAi }> {
  const fake = await startFakeOpenAi();
  for (const [model, plan] of Object.entries(plans)) fake.plan(model, plan);
  const table = bench(
    models.map((model) => attemptAt(fake.baseUrl, model)),
    {
      adapters: new Map([['openai', startAdapter()]]),
      openCredential: async () => CREDENTIAL,
      ...overrides,
    },
  );
  return { table, fake };
}

/** An attempt at a model of the provider at this root. */
export function attemptAt(baseUrl: string, model: string): Attempt {
  const endpoint = demoEndpoint(model, { id: `openai/${model}`, provider: 'openai' });
  return sharedAttempt(model, { endpoint, provider: openAiProvider(baseUrl) });
}
