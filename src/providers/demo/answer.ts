/** The demo provider's answers. They are composed before the first word is sent, and equal for equal requests. */
import type { ChatBody, ChatMessage, FinishReason } from '../../formats/chat/types.js';
import { members } from '../../formats/json.js';
import type { UpstreamUsage } from '../../inference/ports/adapter.js';
import type { Reasoning } from '../../inference/reasoning/reasoning.js';
import { sampleOf } from './sample.js';

/** An answer in words and fragments. Each counts as one token. */
export interface DemoAnswer {
  readonly reasoning: readonly string[];
  readonly content: readonly string[];
  readonly toolCall: {
    readonly id: string;
    readonly name: string;
    readonly fragments: readonly string[];
  } | null;
  readonly finishReason: FinishReason;
  readonly usage: UpstreamUsage;
}

/** How much of the last message is quoted. */
const MAX_QUOTED_CHARACTERS = 2000;

/** Words of longer messages are estimated, not counted. */
const MAX_COUNTED_CHARACTERS = 64 * 1024;

/** Including the space before the word. */
const CHARACTERS_PER_WORD = 5;

/** No provider accepts more. */
const MAX_STOP_SEQUENCES = 16;

const FRAGMENT_CHARACTERS = 12;

/**
 * The answer to a request, with one choice. Follows `max_tokens`, `stop`, `response_format`, `tools`, `tool_choice` and
 * `reasoning`.
 */
export function composeAnswer(
  body: ChatBody,
  style: 'echo' | 'reasoner' | 'tools',
  requested: Reasoning | null,
): DemoAnswer {
  const tool = style === 'tools' ? chosenTool(body) : undefined;
  const reasoning = style === 'reasoner' ? thoughtsOf(body, requested) : [];
  if (tool !== undefined) return callOf(body, tool);
  const { text, isStopped } = cutAtStop(textFor(body), body.stop);
  const limit = body.max_completion_tokens ?? body.max_tokens ?? Infinity;
  const thought = reasoning.slice(0, limit);
  const words = wordsOf(text);
  const content = words.slice(0, limit - thought.length);
  const isCut = !isStopped && thought.length + content.length < reasoning.length + words.length;
  return {
    reasoning: thought,
    content,
    toolCall: null,
    finishReason: isCut ? 'length' : 'stop',
    usage: usageOf(body, thought.length, content.length),
  };
}

function thoughtsOf(body: ChatBody, requested: Reasoning | null): string[] {
  if (requested?.isEnabled === false) return [];
  const effort = requested === null || requested.effort === null ? '' : ` My effort is ${requested.effort}.`;
  const words = wordsOf(`The user wrote: ${quote(body)} I will repeat it.${effort}`);
  return words.slice(0, requested?.maxTokens ?? Infinity);
}

function textFor(body: ChatBody): string {
  const format = members(body.response_format);
  if (format.type === 'json_schema') return JSON.stringify(sampleOf(members(format.json_schema).schema));
  if (format.type === 'json_object') return JSON.stringify({ echo: quote(body) });
  return `You said: ${quote(body)} This is Byway's demo provider, and everything works.`;
}

/** The text of the user's last message. */
function quote(body: ChatBody): string {
  const last = body.messages.findLast(({ role }) => role === 'user');
  return last === undefined ? '(nothing)' : textOf(last).slice(0, MAX_QUOTED_CHARACTERS);
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? `(${part.type})`).join(' ');
}

/** Words, each with the space before it. Joined they are the text. */
function wordsOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

function wordCountOf(text: string): number {
  if (text.length > MAX_COUNTED_CHARACTERS) return Math.ceil(text.length / CHARACTERS_PER_WORD);
  return wordsOf(text).length;
}

function cutAtStop(text: string, stop: ChatBody['stop']): { text: string; isStopped: boolean } {
  const sequences = typeof stop === 'string' ? [stop] : (stop ?? []).slice(0, MAX_STOP_SEQUENCES);
  const positions = sequences.map((sequence) => text.indexOf(sequence)).filter((position) => position >= 0);
  return positions.length === 0
    ? { text, isStopped: false }
    : {
        text: text.slice(
          0,
          positions.reduce((a, b) => Math.min(a, b)),
        ),
        isStopped: true,
      };
}

/** The tool to call: the one that is named, else the first. None for `none`, or right after a tool's result. */
function chosenTool({
  tools = [],
  tool_choice,
  messages,
}: ChatBody): { name: string; schema: unknown } | undefined {
  if (tool_choice === 'none' || messages.at(-1)?.role === 'tool') return undefined;
  const wanted = members(members(tool_choice).function).name;
  const functions = tools.map((tool) => members(tool.function));
  const chosen = functions.find(({ name }) => name === wanted) ?? functions[0];
  return typeof chosen?.name === 'string' ? { name: chosen.name, schema: chosen.parameters } : undefined;
}

function callOf(body: ChatBody, { name, schema }: { name: string; schema: unknown }): DemoAnswer {
  const text = JSON.stringify(sampleOf(schema) ?? {});
  const fragments = text.match(new RegExp(`.{1,${FRAGMENT_CHARACTERS}}`, 'gsu')) ?? [];
  return {
    reasoning: [],
    content: [],
    toolCall: { id: `call_demo_${name}`, name, fragments },
    finishReason: 'tool_calls',
    usage: usageOf(body, 0, fragments.length),
  };
}

function usageOf({ messages }: ChatBody, reasoningTokens: number, otherTokens: number): UpstreamUsage {
  return {
    promptTokens: messages.reduce((sum, message) => sum + wordCountOf(textOf(message)), 0),
    cachedTokens: 0,
    completionTokens: reasoningTokens + otherTokens,
    reasoningTokens,
  };
}
