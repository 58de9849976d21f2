/** Aliases of well-known families, with their targets when the table was last updated. Maintained by hand. */
export const ALIASES: readonly { readonly id: string; readonly name: string; readonly target: string }[] = [
  {
    id: '~anthropic/claude-haiku-latest',
    name: 'Claude Haiku (latest)',
    target: 'anthropic/claude-haiku-4.5',
  },
  { id: '~anthropic/claude-opus-latest', name: 'Claude Opus (latest)', target: 'anthropic/claude-opus-4.8' },
  {
    id: '~anthropic/claude-sonnet-latest',
    name: 'Claude Sonnet (latest)',
    target: 'anthropic/claude-sonnet-5',
  },
  { id: '~deepseek/deepseek-pro-latest', name: 'DeepSeek Pro (latest)', target: 'deepseek/deepseek-v4-pro' },
  { id: '~google/gemini-flash-latest', name: 'Gemini Flash (latest)', target: 'google/gemini-3.5-flash' },
  { id: '~google/gemini-pro-latest', name: 'Gemini Pro (latest)', target: 'google/gemini-3.1-pro-preview' },
  {
    id: '~mistralai/mistral-large-latest',
    name: 'Mistral Large (latest)',
    target: 'mistralai/mistral-large-2512',
  },
  { id: '~openai/gpt-latest', name: 'GPT (latest)', target: 'openai/gpt-5.5' },
  { id: '~openai/gpt-mini-latest', name: 'GPT mini (latest)', target: 'openai/gpt-5.4-mini' },
  { id: '~qwen/qwen-max-latest', name: 'Qwen Max (latest)', target: 'qwen/qwen3.7-max' },
  { id: '~x-ai/grok-latest', name: 'Grok (latest)', target: 'x-ai/grok-4.3' },
  { id: '~z-ai/glm-latest', name: 'GLM (latest)', target: 'z-ai/glm-5.2' },
];
