/**
 * The built-in scripted provider: in process, without network, with equal answers to equal requests. It makes it
 * possible to try everything without a real credential: answers, failures, BYOK keys that work or fail:
 * `docs/formats.md#demo`.
 */
import { pushed } from '../../base/push-stream.js';
import type { Signal } from '../../base/signal.js';
import type { DemoCredential } from '../../byok/kinds/demo.js';
import type { AssistantMessage } from '../../formats/chat/types.js';
import type {
  NormalizedAnswer,
  NormalizedEvent,
  UpstreamAdapter,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
} from '../../inference/ports/adapter.js';
import { malformed, reset, truncated } from '../common/failures.js';
import { composeAnswer, type DemoAnswer } from './answer.js';
import { demoEmbeddings } from './embeddings.js';
import { contentFilterFailure, statusFailure } from './failures.js';
import { demoRerank } from './rerank.js';
import { type Script, scriptOfCredential, scriptOfModel } from './script.js';
import { chatOfText, textAnswer, textEvent } from './text-completions.js';

/** A script that the credential names takes precedence over the model's. */
export const demoAdapter: UpstreamAdapter<DemoCredential | null> = {
  complete,
  stream: (call) => pushed(stream(call)),
};

async function complete(call: DemoCall): Promise<UpstreamAnswer> {
  if (call.format === 'embeddings') {
    await begin(call);
    return demoEmbeddings(call.body);
  }
  if (call.format === 'rerank') {
    await begin(call);
    return demoRerank(call.body);
  }
  const whole = await completeChat(call);
  return call.format === 'completions' ? textAnswer(whole, call.endpoint) : { format: 'chat', ...whole };
}

async function completeChat(call: DemoCall): Promise<NormalizedAnswer> {
  const script = await begin(call);
  const answer = answerOf(call, script);
  let isWhole = false;
  for await (const event of play(answer, script, call.signal)) isWhole ||= event.type === 'finish';
  if (!isWhole) throw truncated();
  return {
    choices: [
      {
        index: 0,
        message: messageOf(answer),
        finish_reason: answer.finishReason,
        native_finish_reason: answer.finishReason,
        logprobs: null,
      },
    ],
    usage: answer.usage,
    systemFingerprint: null,
  };
}

async function* stream(call: DemoCall): AsyncGenerator<UpstreamEvent, void, undefined> {
  const script = await begin(call);
  const events = play(answerOf(call, script), script, call.signal);
  if (call.format !== 'completions') yield* events;
  else for await (const event of events) yield textEvent(event, call.endpoint);
}

/** Throws if the script fails before the answer begins. */
async function begin(call: DemoCall): Promise<Script> {
  const { credential, endpoint, signal } = call;
  const named = credential === null ? undefined : scriptOfCredential(credential.apiKey);
  const script = named ?? scriptOfModel(endpoint.upstreamModelId);
  await hop(signal);
  call.onSent?.();
  if (script.kind === 'status') throw statusFailure(script.status);
  if (script.kind === 'content-filter') throw contentFilterFailure();
  if (script.kind === 'reset') throw reset();
  if (script.kind === 'stall') await untilAborted(signal);
  call.onFirstByte();
  return script;
}

type DemoCall = UpstreamCall<DemoCredential | null>;

function answerOf(call: DemoCall, script: Script): DemoAnswer {
  const style = script.kind === 'answer' ? script.style : 'echo';
  if (call.format === 'completions') return composeAnswer(chatOfText(call.body), 'echo', null);
  if (call.format !== 'chat') throw new Error('the demo provider speaks chats and text completions alone');
  return composeAnswer(call.body, style, call.reasoning);
}

/** The answer word by word, each in its own event loop iteration, until the script interrupts it. */
async function* play(
  answer: DemoAnswer,
  script: Script,
  signal: Signal,
): AsyncGenerator<NormalizedEvent, void, undefined> {
  const wordMs = script.kind === 'answer' ? script.wordMs : 0;
  const lastWord = script.kind === 'interrupted' ? script.afterWords : Infinity;
  let words = 0;
  yield delta({ role: 'assistant', content: '' });
  for (const event of wordsOf(answer)) {
    if (words === lastWord) break;
    await (wordMs > 0 ? pause(wordMs, signal) : hop(signal));
    words += 1;
    yield event;
  }
  if (script.kind === 'interrupted') return interrupt(script.how, signal);
  yield { type: 'finish', index: 0, reason: answer.finishReason, nativeReason: answer.finishReason };
  yield { type: 'usage', usage: answer.usage };
}

function* wordsOf({ reasoning, content, toolCall }: DemoAnswer): Generator<NormalizedEvent, void, undefined> {
  for (const word of reasoning) yield delta({ reasoning: word });
  for (const word of content) yield delta({ content: word });
  if (toolCall === null) return;
  const { id, name, fragments } = toolCall;
  yield delta({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] });
  for (const fragment of fragments)
    yield delta({ tool_calls: [{ index: 0, function: { arguments: fragment } }] });
}

function delta(added: (NormalizedEvent & { type: 'delta' })['delta']): NormalizedEvent {
  return { type: 'delta', index: 0, delta: added };
}

async function interrupt(how: 'stall' | 'break' | 'truncate' | 'malformed', signal: Signal): Promise<void> {
  if (how === 'break') throw reset();
  if (how === 'malformed') throw malformed();
  if (how === 'stall') await untilAborted(signal);
}

function messageOf({ reasoning, content, toolCall }: DemoAnswer): AssistantMessage {
  return {
    role: 'assistant',
    content: toolCall === null ? content.join('') : null,
    refusal: null,
    ...(reasoning.length > 0 && { reasoning: reasoning.join('') }),
    ...(toolCall !== null && {
      tool_calls: [
        {
          id: toolCall.id,
          type: 'function',
          function: { name: toolCall.name, arguments: toolCall.fragments.join('') },
        },
      ],
    }),
  };
}

/** Resolves after the time; rejects once the signal is aborted. */
function pause(milliseconds: number, signal: Signal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
  });
}

/** One event loop iteration. Unlike `setImmediate` of node:timers/promises it adds no listener to the signal. */
async function hop(signal: Signal): Promise<void> {
  await new Promise(setImmediate);
  signal.throwIfAborted();
}

/** Never resolves; rejects once the signal is aborted. */
function untilAborted(signal: Signal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
