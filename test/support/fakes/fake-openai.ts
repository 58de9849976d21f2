/** A local OpenAI: its chat completions as the official client knows them, with failures by plan. */
import { chunksOf, wholeAnswer } from './fake-openai/answer.js';
import { refusalOf } from './fake-openai/errors.js';
import { type FakeFormat, type FakeProvider, startFakeProvider } from './fake-openai/server.js';
import type { AtEnd } from './fake-server.js';

/** The key that the fake takes. */
export const FAKE_API_KEY = 'sk-fake-0123456789abcdefghij';

export type FakeOpenAi = FakeProvider;

/** Starts a fake that ends with the test, or when `atEnd` says so. */
export function startFakeOpenAi(atEnd?: AtEnd): Promise<FakeOpenAi> {
  const format: FakeFormat = {
    root: '/v1',
    headers: { 'x-request-id': 'req_fake', 'openai-version': '2020-10-01', 'openai-processing-ms': '12' },
    refusalOf: (request, text) => refusalOf(request, FAKE_API_KEY, text),
    modelOf: (_, { model = '' }) => model,
    wholeAnswer,
    chunksOf,
  };
  return startFakeProvider(format, atEnd);
}
