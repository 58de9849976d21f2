/** Values that ask for nothing, so that nothing is lost without them. */
const NO_DEMAND: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['frequency_penalty', 0],
  ['logprobs', false],
  ['n', 1],
  ['presence_penalty', 0],
  ['store', false],
]);

export function asksForNothing(name: string, value: unknown): boolean {
  return NO_DEMAND.has(name) && NO_DEMAND.get(name) === value;
}
