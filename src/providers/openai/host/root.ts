/** The API root of a provider without a `base_url`. */
export const DEFAULT_ROOT = 'https://api.openai.com/v1';
