/** The members of text completions that have a price and a rule over shared capacity. */
import { allowedMembersOf, opaque, scalar } from './shape.js';

export const COMPLETIONS_REQUEST = allowedMembersOf({
  ...scalar(
    'model',
    'stream',
    'suffix',
    'max_tokens',
    'min_tokens',
    'n',
    'best_of',
    'echo',
    'logprobs',
    'stop',
  ),
  ...scalar('temperature', 'top_p', 'top_k', 'min_p', 'frequency_penalty', 'presence_penalty'),
  ...scalar('repetition_penalty', 'seed', 'random_seed', 'user', 'safety_identifier', 'prompt_cache_key'),
  ...opaque('logit_bias'),
  prompt: 'words',
  // Planned with a price alone: `docs/routing.md#modes-without-a-price`.
  service_tier: 'word',
  stream_options: allowedMembersOf(scalar('include_usage', 'include_obfuscation')),
});
