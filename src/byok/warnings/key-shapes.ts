/**
 * How the keys of providers begin, and how short they can be. From the detectors of secrets that scan public code, read on
 * 2026-11-25: gitleaks (https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml), TruffleHog
 * (https://github.com/trufflesecurity/trufflehog/tree/main/pkg/detectors), Kingfisher
 * (https://github.com/mongodb/kingfisher/tree/main/crates/kingfisher-rules/data/rules), and the providers' own pages where
 * one is named. Only what all keys of a provider have is here: a key without it is told, never refused.
 */
export interface KeyShape {
  /** The name that people know it by. */
  readonly provider: string;
  /** Every key begins with one of these. */
  readonly prefixes: readonly string[];
  /** Less than the shortest key that was ever issued. */
  readonly minCharacters: number;
}

/** By the provider's slug. */
export const KEY_SHAPES: Readonly<Record<string, KeyShape>> = {
  // sk-, sk-proj-, sk-svcacct-, sk-admin-; the oldest have 51 characters (gitleaks: openai-api-key).
  openai: { provider: 'OpenAI', prefixes: ['sk-'], minCharacters: 40 },
  // sk-ant-api03-, sk-ant-admin01-, sk-ant-oat01-, with 93 characters behind it (gitleaks: anthropic-api-key).
  anthropic: { provider: 'Anthropic', prefixes: ['sk-ant-'], minCharacters: 80 },
  // gsk_ and 52 characters (Kingfisher: kingfisher.groq.1).
  groq: { provider: 'Groq', prefixes: ['gsk_'], minCharacters: 50 },
  // xai- and 80 characters (TruffleHog: xai).
  xai: { provider: 'xAI', prefixes: ['xai-'], minCharacters: 60 },
  // pplx- and 48 characters (gitleaks: perplexity-api-key).
  perplexity: { provider: 'Perplexity', prefixes: ['pplx-'], minCharacters: 45 },
  // hf_ and 34 letters (gitleaks: huggingface-access-token); api_org_ is an organization's.
  huggingface: { provider: 'Hugging Face', prefixes: ['hf_', 'api_org_'], minCharacters: 30 },
  // AIza and 35 characters (gitleaks: gcp-api-key); AQ. are those bound to a service account
  // (https://ai.google.dev/gemini-api/docs/api-key).
  'google-ai-studio': { provider: 'Google AI Studio', prefixes: ['AIza', 'AQ.'], minCharacters: 35 },
  // csk- and 48 characters (TruffleHog: cerebras; https://inference-docs.cerebras.ai/quickstart).
  cerebras: { provider: 'Cerebras', prefixes: ['csk-'], minCharacters: 40 },
  // sk- and 32 hexadecimal digits (TruffleHog: deepseek).
  deepseek: { provider: 'DeepSeek', prefixes: ['sk-'], minCharacters: 30 },
};

/**
 * Beginnings that name whose key it is, wherever it stands; with those of our own and of gateways that people move from. `sk-`
 * alone names nobody: several providers have it.
 */
export const TELLING_PREFIXES: readonly (readonly [prefix: string, owner: string])[] = [
  ['sk-ant-', 'Anthropic'],
  ['sk-proj-', 'OpenAI'],
  ['sk-svcacct-', 'OpenAI'],
  ['sk-admin-', 'OpenAI'],
  // https://openrouter.ai/docs/api-reference/authentication
  ['sk-or-', 'OpenRouter'],
  ['gsk_', 'Groq'],
  ['xai-', 'xAI'],
  ['pplx-', 'Perplexity'],
  ['hf_', 'Hugging Face'],
  ['AIza', 'Google AI Studio'],
  ['csk-', 'Cerebras'],
  // https://docs.nvidia.com/nim, and gitleaks: nvidia-api-key.
  ['nvapi-', 'NVIDIA'],
  // gitleaks: aws-access-token, aws-amazon-bedrock-api-key-long-lived.
  ['AKIA', 'AWS'],
  ['ASIA', 'AWS'],
  ['ABSK', 'Amazon Bedrock'],
  ['bedrock-api-key-', 'Amazon Bedrock'],
  // gitleaks: github-pat.
  ['ghp_', 'GitHub'],
  ['github_pat_', 'GitHub'],
  ['bw-v1-', 'this gateway'],
  ['bw-mgmt-', 'this gateway'],
  ['bw-op-', 'this gateway'],
  ['bw-client-', 'this gateway'],
];

/** Providers whose own slug stands behind an owner of `TELLING_PREFIXES` that is not in `KEY_SHAPES`. */
export const OWNERS: Readonly<Record<string, string>> = { 'amazon-bedrock': 'Amazon Bedrock' };
