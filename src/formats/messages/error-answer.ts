import { type Failed, messagesError } from './error.js';

/**
 * An error as the answer to a request. Where a provider has refused a native request, its own answer: clients go by its
 * words.
 */
export function messagesErrorAnswer(failed: Failed, requestId: string) {
  const { provider_answer: answer } = failed.metadata;
  if (isAnswer(answer)) return answer;
  const { status, body } = messagesError(failed, requestId);
  return { status, body: JSON.stringify(body) };
}

function isAnswer(value: unknown): value is { readonly status: number; readonly body: string } {
  return typeof value === 'object' && value !== null && 'status' in value && 'body' in value;
}
