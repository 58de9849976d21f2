import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aiSdkClient, anthropicClient, openAiClient } from './clients.js';
import { failures } from './compare.js';
import { launchSpellingHost } from './spelling-host.js';

/** Answers of all kinds of hosts together. `ANSWERS_RUNS=100000` tries more, `ANSWERS_SEED` the same again. */
const RUNS = Number(process.env.ANSWERS_RUNS ?? 300);
const SEED = Number(process.env.ANSWERS_SEED ?? Date.now() % 2 ** 31);

let host: Awaited<ReturnType<typeof launchSpellingHost>>;

beforeAll(async () => {
  host = await launchSpellingHost();
});
afterAll(() => host.stop());

describe('an answer', () => {
  it(`is the same message for clients of either API, however its host spells it (${RUNS}, ANSWERS_SEED=${SEED})`, {
    timeout: 60_000 + RUNS * 100,
  }, async () => {
    const openAi = openAiClient(host);
    // The AI SDK wants each answer to be of some kind, so it is given fewer.
    const clients = [openAi, openAi, anthropicClient(host), aiSdkClient(host)];
    expect(await failures(host, clients, RUNS, SEED)).toEqual([]);
  });
});
