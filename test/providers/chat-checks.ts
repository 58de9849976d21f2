/** What the tests of every provider's failures do with a chat over its adapter. */
import { expect } from 'vitest';
import type { ChatBody, ChatChunk } from '../../src/formats/chat/types.js';
import type { InferenceDependencies } from '../../src/inference/run/dependencies.js';
import { type Bench, chatRequest, contentOf, drain } from '../support/chat.js';
import { waitFor } from '../support/wait-for.js';

/** Every test of failures runs in both. */
export const MODES = ['complete', 'stream'] as const;
export type Mode = (typeof MODES)[number];

/** Starts a fake whose models follow their plans, and a chat with an attempt at each of `models`. */
export type StartBench<Plan, Fake> = (
  plans: Readonly<Record<string, Plan>>,
  models: readonly string[],
  overrides?: Partial<InferenceDependencies>,
) => Promise<{ readonly table: Bench; readonly fake: Fake }>;

interface Asked {
  readonly text: string;
  readonly chunks: readonly ChatChunk[];
  readonly thrown: unknown;
}

export async function ask(
  mode: Mode,
  { chat }: Pick<Bench, 'chat'>,
  body: Partial<ChatBody> = {},
): Promise<Asked> {
  if (mode === 'stream') {
    const { chunks, thrown } = await drain(chat.stream(chatRequest(body)));
    return { text: contentOf(chunks), chunks, thrown };
  }
  return chat.complete(chatRequest(body)).then(
    ({ choices }) => ({ text: choices[0]?.message.content ?? '', chunks: [], thrown: undefined }),
    (thrown: unknown) => ({ text: '', chunks: [], thrown }),
  );
}

/** The first model fails by the plan, the second one answers. */
export async function failOver<Plan, Fake>(
  start: StartBench<Plan, Fake>,
  mode: Mode,
  plan: Plan,
  overrides: Partial<InferenceDependencies> = {},
) {
  const { table, fake } = await start({ failing: plan }, ['failing', 'sound'], overrides);
  const { text, thrown } = await ask(mode, table);
  expect(thrown).toBeUndefined();
  const [generation] = table.generations;
  return { text, table, fake, generation, first: generation?.providerResponses[0] };
}

/** What fakes tell of the requests that they got. */
interface Requested {
  readonly requests: readonly unknown[];
  /** Requests whose client closed the connection before the answer was complete. */
  readonly aborts: number;
}

/** Expects that a provider that follows the plan sees the end of a stream whose client goes away. */
export async function expectStreamAborted<Plan>(
  start: StartBench<Plan, Requested>,
  plan: Plan,
): Promise<void> {
  const { table, fake } = await start({ m: plan }, ['m']);
  const client = new AbortController();
  const pending = drain(table.chat.stream(chatRequest({}, client.signal)));
  await waitFor(() => expect(fake.requests).toHaveLength(1));
  expect(fake.aborts).toBe(0);
  client.abort();
  expect((await pending).thrown).toMatchObject({ reason: 'client_closed' });
  await waitFor(() => expect(fake.aborts).toBe(1));
  expect(table.outcomes).toEqual([]);
  expect(table.generations).toMatchObject([{ status: 'cancelled' }]);
}

/** The same of an answer in one piece. */
export async function expectAnswerAborted<Plan>(
  start: StartBench<Plan, Requested>,
  plan: Plan,
): Promise<void> {
  const { table, fake } = await start({ m: plan }, ['m']);
  const client = new AbortController();
  const pending = table.chat.complete(chatRequest({}, client.signal)).catch((thrown: unknown) => thrown);
  await waitFor(() => expect(fake.requests).toHaveLength(1));
  client.abort();
  expect(await pending).toMatchObject({ reason: 'client_closed' });
  await waitFor(() => expect(fake.aborts).toBe(1));
}
