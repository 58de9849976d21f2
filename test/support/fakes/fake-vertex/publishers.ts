/** Each publisher's models: the violation of a body, the whole answer, and the events of its stream. */
import { CLAUDE_VERTEX } from '../../strict/native/claude-vertex.js';
import { refusalBy } from '../../strict/native/rule.js';
import { eventsOf, wholeMessage } from '../fake-anthropic/answer.js';
import type { FakePlan as MessagePlan, MessagesCall } from '../fake-anthropic/plan.js';
import { wholeAnswer as openAiAnswer, chunksOf as openAiChunks } from '../fake-openai/answer.js';
import type { ChatCall, FakePlan as ChatPlan } from '../fake-openai/plan.js';
import { chunksOf, wholeAnswer } from './answer.js';
import type { FakePlan, GenerateCall } from './plan.js';
import { embedContentViolation, embeddedContent, predictions, predictViolation } from './predict.js';
import { violationOf } from './violations.js';

/** A request's model, and its response. */
export interface Service {
  readonly model: string;
  readonly isStreamed: boolean;
  readonly violation: string | undefined;
  whole(plan: FakePlan): unknown;
  /** The text of each event. */
  events(plan: FakePlan): Generator<string>;
}

type Serve = (model: string, body: object, method: string, betas: string) => Service;

/**
 * Methods below a project's location: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference,
 * https://docs.anthropic.com/en/api/claude-on-vertex-ai (`anthropic_version` in the body, no `model`),
 * https://cloud.google.com/vertex-ai/generative-ai/docs/maas/call-open-model-apis.
 */
const METHODS: readonly (readonly [RegExp, Serve])[] = [
  [/^publishers\/google\/models\/([^:/]+):(generateContent|streamGenerateContent\?alt=sse)$/, google],
  [/^publishers\/google\/models\/([^:/]+):(predict)$/, predicted],
  [/^publishers\/google\/models\/([^:/]+):(embedContent)$/, embedded],
  [/^publishers\/anthropic\/models\/(count-tokens):(rawPredict)$/, counted],
  [/^publishers\/anthropic\/models\/([^:/]+):(rawPredict|streamRawPredict)$/, anthropic],
  [/^endpoints\/openapi\/chat\/(completions)()$/, openapi],
];

/**
 * The service at this path below a location; undefined for an unknown path. `betas` is the header `anthropic-beta`, which
 * Vertex AI reads: https://github.com/ax-llm/ax/pull/462.
 */
export function serviceAt(path: string, body: object, betas = ''): Service | undefined {
  for (const [pattern, serve] of METHODS) {
    const [, model, method] = pattern.exec(path) ?? [];
    if (model !== undefined && method !== undefined) {
      return serve(decodeURIComponent(model), body, method, betas);
    }
  }
  return undefined;
}

function google(model: string, body: object, method: string): Service {
  const call = body as GenerateCall;
  return {
    model,
    isStreamed: method.startsWith('stream'),
    violation: violationOf(call, model),
    whole: (plan) => wholeAnswer(call, plan, model),
    *events(plan) {
      for (const chunk of plan.chunks ?? chunksOf(call, plan, model)) yield dataOf(chunk);
    },
  };
}

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
function predicted(model: string, body: object): Service {
  return {
    model,
    isStreamed: false,
    violation: predictViolation(model, body),
    whole: () => predictions(model, body),
    *events() {},
  };
}

/** https://docs.cloud.google.com/gemini-enterprise-agent-platform/reference/rest/v1beta1/projects.locations.publishers.models/embedContent */
function embedded(model: string, body: object): Service {
  return {
    model,
    isStreamed: false,
    violation: embedContentViolation(model, body),
    whole: () => embeddedContent(body),
    *events() {},
  };
}

function anthropic(model: string, body: object, method: string, betas: string): Service {
  const call = { ...body, model: model.replace(/@.*/, '') } as MessagesCall;
  const isStreamed = method.startsWith('stream');
  return {
    model,
    isStreamed,
    violation: refusalBy(CLAUDE_VERTEX, body, {
      model: call.model,
      betas: betas === '' ? [] : betas.split(',').map((beta) => beta.trim()),
    }),
    whole: (plan) => ({ ...wholeMessage(call, messagePlan(plan)), id: 'msg_vrtx_fake' }),
    *events(plan) {
      // Vertex pads its events with blanks.
      for (const event of plan.chunks ?? eventsOf(call, messagePlan(plan))) {
        yield `event: ${Object(event).type}\ndata: ${JSON.stringify(event)}     `;
      }
    },
  };
}

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens */
function counted(_path: string, body: object): Service {
  const { model } = body as MessagesCall;
  return {
    model,
    isStreamed: false,
    violation: model === undefined ? 'model: Field required' : undefined,
    whole: () => ({ input_tokens: 4711 }),
    *events() {},
  };
}

function openapi(_path: string, body: object): Service {
  const call = body as ChatCall;
  const isNamed = call.model?.includes('/') ? undefined : 'The model name must have a publisher.';
  return {
    model: call.model ?? '',
    isStreamed: call.stream === true,
    violation: isNamed,
    whole: (plan) => openAiAnswer(call, chatPlan(plan)),
    *events(plan) {
      for (const chunk of plan.chunks ?? openAiChunks(call, chatPlan(plan))) yield dataOf(chunk);
      yield 'data: [DONE]';
    },
  };
}

/** The plan for Anthropic's models. */
function messagePlan({ words, content, tool, usage, stopReason }: FakePlan): MessagePlan {
  return {
    ...(tool && { tool }),
    ...(words && { words }),
    ...(content && { content }),
    ...(usage && { usage }),
    ...(stopReason && { stopReason }),
  };
}

/** The plan for other publishers' models. */
function chatPlan({ words, thoughts: reasoning, toolCalls, tool, usage }: FakePlan): ChatPlan {
  return {
    ...(tool && { tool }),
    ...(words && { words }),
    ...(reasoning && { reasoning }),
    ...(toolCalls !== undefined && { toolCalls }),
    ...(usage && { usage }),
  };
}

function dataOf(chunk: unknown): string {
  return `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}`;
}
