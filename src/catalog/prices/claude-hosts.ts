/** Where Claude is sold at its maker's rules for caches and long prompts. */
const HOSTS: ReadonlySet<string> = new Set(['anthropic', 'amazon-bedrock', 'azure', 'google-vertex']);

export function isClaudeOfItsMaker(modelId: string, provider: string): boolean {
  return modelId.startsWith('anthropic/claude-') && HOSTS.has(provider);
}
