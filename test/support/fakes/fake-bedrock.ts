/** A local Bedrock for tests. */
import { onTestFinished } from 'vitest';
import { type FakeBedrock, serveFakeBedrock } from './fake-bedrock/serve.js';

export {
  FAKE_ACCESS_KEY,
  FAKE_API_KEY,
  FAKE_EU_API_KEY,
  FAKE_REGION,
  type FakeBedrock,
} from './fake-bedrock/serve.js';

/** Starts a fake that ends with the test; `now` is what its clock says. */
export async function startFakeBedrock(now: () => number = Date.now): Promise<FakeBedrock> {
  const fake = await serveFakeBedrock(now);
  onTestFinished(fake.close);
  return fake;
}
