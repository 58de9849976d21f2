import type { InferenceDependencies } from '../../../src/inference/run/dependencies.js';
import type { Attempt } from '../../../src/routing/types.js';
import { type Bench, bench, demoEndpoint, NOW, sharedAttempt } from '../../support/chat.js';
import type { FakePlan } from '../../support/fakes/fake-bedrock/plan.js';
import { FAKE_REGION, type FakeBedrock, startFakeBedrock } from '../../support/fakes/fake-bedrock.js';
import { ACCESS_KEY, bedrockProvider, startAdapter } from './adapter.fixture.js';

/** A whole chat over the real adapter and a fake provider, one attempt for each of the models named. */
export async function bedrockBench(
  plans: Readonly<Record<string, FakePlan>>,
  models: readonly string[],
  overrides: Partial<InferenceDependencies> = {},
): Promise<{ table: Bench; fake: FakeBedrock }> {
  const fake = await startFakeBedrock(() => NOW);
  for (const [model, plan] of Object.entries(plans)) fake.plan(model, plan);
  const table = bench(
    models.map((model) => attemptAt(fake.baseUrl, model)),
    {
      adapters: new Map([['amazon-bedrock', startAdapter()]]),
      openCredential: async () => ACCESS_KEY,
      ...overrides,
    },
  );
  return { table, fake };
}

function attemptAt(baseUrl: string, model: string): Attempt {
  const endpoint = demoEndpoint(model, { id: `amazon-bedrock/${model}`, provider: 'amazon-bedrock' });
  return sharedAttempt(model, { endpoint, provider: bedrockProvider(baseUrl), region: FAKE_REGION });
}
