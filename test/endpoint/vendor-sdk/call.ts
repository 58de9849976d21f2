import type { SdkWorld } from './world.js';

/** Calls a method, and what its answer, as the SDK parses it, must match. */
export type Call = readonly [call: (world: SdkWorld) => Promise<unknown>, answer: object];

/** The first page of a list. */
export async function firstOf<Page>(pages: AsyncIterable<{ readonly result: Page }>): Promise<Page> {
  for await (const { result } of pages) return result;
  throw new Error('no page');
}
