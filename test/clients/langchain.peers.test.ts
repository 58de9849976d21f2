import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failures } from '../endpoint/answers/compare.js';
import { launchSpellingHost } from '../endpoint/answers/spelling-host.js';
import { langChainOfChats, langChainOfMessages } from './langchain.js';

/** A folder with LangChain's packages, which `npm run clients` installs. */
const { LANGCHAIN = '' } = process.env;

/** As `test/endpoint/answers` has them. */
const RUNS = Number(process.env.ANSWERS_RUNS ?? 1_000);
const SEED = Number(process.env.ANSWERS_SEED ?? Date.now() % 2 ** 31);

describe.runIf(LANGCHAIN !== '')('LangChain', () => {
  let host: Awaited<ReturnType<typeof launchSpellingHost>>;
  beforeAll(async () => {
    host = await launchSpellingHost();
  });
  afterAll(() => host?.stop());

  it(`has the same message of either API, however its host spells it (${RUNS}, ANSWERS_SEED=${SEED})`, {
    timeout: 60_000 + RUNS * 100,
  }, async () => {
    const clients = [await langChainOfChats(LANGCHAIN, host), await langChainOfMessages(LANGCHAIN, host)];
    expect(await failures(host, clients, RUNS, SEED)).toEqual([]);
  });
});
