import { ANTHROPIC } from '../../strict/native/anthropic.js';
import { CLAUDE_FOUNDRY } from '../../strict/native/claude-foundry.js';
import { refusalBy } from '../../strict/native/rule.js';
import type { MessagesCall } from './plan.js';

const SAMPLING = ['temperature', 'top_p', 'top_k'];

/** The first violation of a body at this path; undefined for a valid one. Later versions of the API have no sampling. */
export function violationOf(
  body: MessagesCall,
  version: string,
  { betas = '', path = '' }: { readonly betas?: string; readonly path?: string } = {},
): string | undefined {
  const sampling = version > '2023-06-01' ? SAMPLING.find((name) => name in body) : undefined;
  if (sampling !== undefined) return `${sampling}: Extra inputs are not permitted`;
  return refusalBy(path.startsWith('/anthropic/') ? CLAUDE_FOUNDRY : ANTHROPIC, body, {
    model: String(body.model),
    betas: betas.split(',').map((beta) => beta.trim()),
  });
}
