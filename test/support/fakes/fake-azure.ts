/** A local Azure resource: both families of its URLs, its key, its deployments and its content filter. */
import type { IncomingMessage } from 'node:http';
import { filteredAnswer, filteredChunks } from './fake-azure/answer.js';
import { azureRefusal, deploymentOf } from './fake-azure/errors.js';
import { type FakeFormat, type FakeProvider, startFakeProvider } from './fake-openai/server.js';
import type { AtEnd } from './fake-server.js';

/** The key that the fake takes. */
export const FAKE_AZURE_KEY = 'fa4e0123456789abcdef0123456789ab';

/** The fake's default deployments. */
const DEPLOYMENTS = ['gpt-m', 'prod'];

export type FakeAzure = FakeProvider;

/** Starts a fake that ends with the test, or when `atEnd` says so. */
export function startFakeAzure(
  deployments: readonly string[] = DEPLOYMENTS,
  atEnd?: AtEnd,
): Promise<FakeAzure> {
  const resource = { apiKey: FAKE_AZURE_KEY, deployments: new Set(deployments) };
  const format: FakeFormat = {
    root: '',
    headers: {
      'apim-request-id': 'a-fake-request',
      'x-ms-region': 'Switzerland North',
      'x-ratelimit-remaining-requests': '99',
      'x-ratelimit-remaining-tokens': '9999',
    },
    refusalOf: (request: IncomingMessage, text) => azureRefusal(resource, request, text),
    modelOf: deploymentOf,
    wholeAnswer: filteredAnswer,
    chunksOf: filteredChunks,
  };
  return startFakeProvider(format, atEnd);
}
