import type { FailureDetails } from '../base/problem.js';

/** A provider's own refusal of a native request: its status and body. undefined if the failure has none. */
export function providerAnswerIn({ metadata }: FailureDetails): ProviderAnswer | undefined {
  const { provider_answer: answer } = metadata;
  return isAnswer(answer) ? answer : undefined;
}

interface ProviderAnswer {
  readonly status: number;
  readonly body: string;
}

function isAnswer(value: unknown): value is ProviderAnswer {
  return typeof value === 'object' && value !== null && 'status' in value && 'body' in value;
}
