/** What hosts of the Responses API refuse that is no member of its own: `docs/providers/openai.md#refusals`. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';
import type { UpstreamCall } from '../../../inference/ports/adapter.js';
import type { CallFeature, FeatureWords } from '../../../inference/ports/refusals.js';
import { withoutReasoningItems } from '../../fit-responses/reasoning.js';
import { changed } from '../../fit-responses/step.js';

/** A part of requests, by which words its absence is asked for, and how to go on without it. */
interface Part {
  readonly toldAs: string;
  readonly words: RegExp;
  /** Whether the next request is refused for it too. */
  readonly isTaught: boolean;
  /** The same body if it has nothing of it. */
  readonly without: (body: JsonObject) => JsonObject;
}

const PARTS: Readonly<Record<string, Part>> = {
  /** Only those can read it who made it: another organisation, region or account refuses it. The conversation goes on without. */
  encrypted_reasoning: {
    toldAs: 'reasoning',
    words:
      /encrypted content .{0,200}could not be (?:verified|decrypted)|Item '[^']{1,500}' of type '[^']{1,50}' was provided without its required/is,
    isTaught: false,
    without(body) {
      const items = elements(body.input);
      const input = withoutReasoningItems(items);
      const isSame = input.length === items.length && input.every((item, at) => item === items[at]);
      return isSame ? body : { ...body, input };
    },
  },
  /** vLLM, which reads the text of reasoning. */
  encrypted_input: {
    toldAs: 'reasoning',
    words: /encrypted content is not supported(?! with)/i,
    isTaught: true,
    without(body) {
      const items = elements(body.input);
      const input = items.flatMap(withoutEncrypted);
      return input.every((item, at) => item === items[at]) && input.length === items.length
        ? body
        : { ...body, input };
    },
  },
  encrypted_content: {
    toldAs: 'include',
    words: /encrypted content is not supported with this model/i,
    isTaught: true,
    without(body) {
      const given = elements(body.include);
      const rest = given.filter((word) => word !== 'reasoning.encrypted_content');
      if (rest.length === given.length) return body;
      return changed(body, { include: rest.length === 0 ? undefined : rest });
    },
  },
  /** OpenAI shows them to organisations that it has verified. */
  reasoning_summary: {
    toldAs: 'reasoning.summary',
    words: /organization must be verified to generate reasoning summaries/i,
    isTaught: true,
    without: (body) =>
      isObject(body.reasoning)
        ? changed(body, {
            reasoning: changed(body.reasoning, { summary: undefined, generate_summary: undefined }),
          })
        : body,
  },
};

/** The item; nothing where there is no more of it to read. */
function withoutEncrypted(item: unknown): readonly unknown[] {
  const { type, encrypted_content, summary, content } = members(item);
  if (type !== 'reasoning' || !isObject(item) || typeof encrypted_content !== 'string') return [item];
  const isReadable = elements(summary).length > 0 || elements(content).length > 0;
  return isReadable ? [changed(item, { encrypted_content: undefined })] : [];
}

export const RESPONSES_FEATURES: readonly CallFeature[] = Object.entries(PARTS).map(([kind, part]) => ({
  kind,
  adaptation: 'left_out',
  toldAs: () => part.toldAs,
  namesIn: (call) => (without(call, part) === call ? [] : [kind]),
  without: (call) => without(call, part),
}));

export const RESPONSES_WORDS: readonly FeatureWords[] = Object.entries(PARTS).map(
  ([kind, { words, isTaught }]) => ({
    kind,
    namedIn(message) {
      const [phrase] = words.exec(message) ?? [];
      if (phrase === undefined) return undefined;
      return { names: [kind], phrase, ...(!isTaught && { isTaught: false as const }) };
    },
  }),
);

function without(call: UpstreamCall, { without: change }: Part): UpstreamCall {
  if (call.format !== 'responses') return call;
  const body = change(call.body);
  return body === call.body ? call : { ...call, body };
}
