/** Sent in the body of Messages requests instead of the header `anthropic-version`. */
export const ANTHROPIC_VERSION = 'vertex-2023-10-16';
