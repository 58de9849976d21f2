/**
 * Limits of an answer that a host finds too large, lowered to what its refusal says it takes: clients ask for as much as their
 * own models can write. Sources: `docs/providers/README.md#limits-of-an-answer-that-are-too-large`.
 */
import type { ChatBody } from '../../formats/chat/types.js';
import type { CallFeature, FeatureWords } from '../../inference/ports/refusals.js';

/** Say the largest limit that the host or its model takes of any chat: the group `most`, or `below` it. */
const LARGEST: readonly RegExp[] = [
  /valid range of max_tokens is \[\d{1,12}, ?(?<most>\d{1,12})\]/i,
  /range of max_(?:completion_)?tokens should be \[\d{1,12}, ?(?<most>\d{1,12})\]/i,
  /max_(?:completion_)?tokens`?(?: for `[^`]{1,100}`)? must be less than or equal to `?(?<most>\d{1,12})/i,
  /max_(?:completion_)?tokens is too large: \d{1,12}\. This model supports at most (?<most>\d{1,12}) completion tokens/i,
  /max_(?:completion_)?tokens\b.{0,100}expected a value <= (?<most>\d{1,12}), but got/i,
  /max_tokens: \d{1,12} > (?<most>\d{1,12}), which is the maximum allowed/i,
  /maximum tokens you requested exceeds? the model limit of (?<most>\d{1,12})/i,
  /maxOutputTokens value of \d{1,12} but the supported range is from \d{1,12} \(inclusive\) to (?<below>\d{1,12}) \(exclusive\)/i,
];

/** Say what the context leaves beside this prompt: of `context` tokens `prompt` are its own, or `total` without those `asked` for. */
const LEFT: readonly RegExp[] = [
  /tokens'? is too large: \d{1,12}\. This model's maximum context length is (?<context>\d{1,12}) tokens and your request has (?<prompt>\d{1,12}) input tokens/i,
  /maximum context length is (?<context>\d{1,12}) tokens?\. However, you requested(?: about)? (?<total>\d{1,12}) tokens \(.{1,120}?(?<asked>\d{1,12}) in the (?:completion|output)\)/i,
  /maximum context length is (?<context>\d{1,12}) tokens?\. However, you requested \d{1,12} output tokens and your prompt contains (?:at least )?(?<prompt>\d{1,12}) input tokens/i,
  /maximum context length of (?<context>\d{1,12}) tokens\. You requested a total of (?<total>\d{1,12}) tokens: \d{1,12} tokens from the input messages and (?<asked>\d{1,12}) tokens for the completion/i,
  /exceed context limit: (?<prompt>\d{1,12}) \+ \d{1,12} > (?<context>\d{1,12})/i,
  /must be <= (?<context>\d{1,12})\. Given: (?<prompt>\d{1,12}) `inputs` tokens and \d{1,12} `max_new_tokens`/i,
];

/** With less left no answer is worth its price: the prompt counts as too long, so that agents shorten it. */
const MIN_LEFT = 1024;

const KIND = 'token_limit';

export const TOKEN_LIMIT: CallFeature = {
  kind: KIND,
  adaptation: 'changed',
  toldAs: ({ body }) => (body.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens'),
  namesIn: () => [],
  without(call, name) {
    if (call.format !== 'chat') return call;
    const body = withLimit(call.body, Number(name.slice(KIND.length + 1)));
    return body === call.body ? call : { ...call, body };
  },
};

export const TOKEN_LIMIT_WORDS: FeatureWords = {
  kind: KIND,
  namedIn(message) {
    const largest = firstOf(LARGEST, message);
    if (largest !== undefined) return limitedTo(largestIn(largest), largest[0]);
    const left = firstOf(LEFT, message);
    if (left === undefined) return undefined;
    const tokens = leftIn(left);
    return tokens < MIN_LEFT ? undefined : { ...limitedTo(tokens, left[0]), isTaught: false };
  },
};

function limitedTo(tokens: number, phrase: string): { names: readonly string[]; phrase: string } {
  return { names: [`${KIND}:${tokens}`], phrase };
}

function firstOf(patterns: readonly RegExp[], message: string): RegExpExecArray | undefined {
  for (const words of patterns) {
    const found = words.exec(message);
    if (found !== null) return found;
  }
  return undefined;
}

function largestIn({ groups = {} }: RegExpExecArray): number {
  return groups.most === undefined ? Number(groups.below) - 1 : Number(groups.most);
}

function leftIn({ groups = {} }: RegExpExecArray): number {
  const prompt = groups.prompt ?? Number(groups.total) - Number(groups.asked);
  return Number(groups.context) - Number(prompt);
}

/** The same body where its limit is not larger. */
function withLimit(body: ChatBody, limit: number): ChatBody {
  const asked = body.max_completion_tokens ?? body.max_tokens;
  if (limit < 1 || typeof asked !== 'number' || asked <= limit) return body;
  const { max_completion_tokens } = body;
  return max_completion_tokens == null
    ? { ...body, max_tokens: limit }
    : { ...body, max_completion_tokens: limit };
}
