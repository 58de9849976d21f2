/** Rules of the operation Converse about turns, calls and results, at any model. */
import type { Rule } from '../rule.js';
import { hasHalves, type JsonRecord, record, repeated, unknownIn, words } from '../values.js';
import { type ConverseBody, contentOf, idsIn, turnsOf } from './body.js';

const SEEN = '2026-11-26';
const CONVERSE = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html';

/** `ConverseRequest` of the package `@aws-sdk/client-bedrock-runtime`, without the model, which the path names. */
const MEMBERS =
  words(`messages system inferenceConfig toolConfig guardrailConfig additionalModelRequestFields promptVariables
  additionalModelResponseFieldPaths requestMetadata performanceConfig serviceTier outputConfig`);

export const TURN_RULES: readonly Rule[] = [
  {
    refuses: 'members that the operation does not have',
    source: CONVERSE,
    seen: SEEN,
    sure: 'documented',
    violation(body) {
      const unknown = unknownIn(body, MEMBERS);
      return unknown && `Unknown member ${unknown}`;
    },
  },
  {
    refuses: 'half of a surrogate pair',
    source: 'https://smithy.io/2.0/spec/simple-types.html#string',
    seen: SEEN,
    sure: 'assumed',
    violation: (body) =>
      hasHalves(body) ? 'Unable to parse request body: invalid UTF-16 surrogate' : undefined,
  },
  {
    refuses: 'a conversation that does not begin with the user',
    source: 'https://github.com/cline/cline/issues/431',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      turnsOf(body)[0]?.role === 'user'
        ? undefined
        : 'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
  },
  {
    refuses: 'two turns of one side in a row',
    source: 'https://github.com/cline/cline/issues/431',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      turnsOf(body).some(({ role }, index, turns) => role === turns[index - 1]?.role)
        ? 'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.'
        : undefined,
  },
  {
    refuses: 'roles other than user and assistant',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html',
    seen: SEEN,
    sure: 'documented',
    violation: (body: ConverseBody) =>
      turnsOf(body).every(({ role }) => role === 'user' || role === 'assistant')
        ? undefined
        : "Value at 'messages.1.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]",
  },
  {
    refuses: 'turns without content',
    source: 'https://github.com/mastra-ai/mastra/pull/22159',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      turnsOf(body).every((turn) => contentOf(turn).length > 0)
        ? undefined
        : 'The content field in the Message object is empty. Add a ContentBlock object to the content field and try again.',
  },
  {
    refuses: 'calls without their results in the next turn',
    source: 'https://github.com/NousResearch/hermes-agent/issues/108584',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      eachTurn(body, (turn, next, index) => {
        const answered = idsIn(next, 'toolResult');
        const open = idsIn(turn, 'toolUse').filter((id) => !answered.includes(id));
        return next === undefined || open.length === 0
          ? undefined
          : `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${open.join(', ')}`;
      }),
  },
  {
    refuses: 'results without a call in the turn before',
    source: 'https://github.com/langgenius/dify-official-plugins/issues/765',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      eachTurn(body, (_turn, _next, index, turns) => {
        const called = idsIn(turns[index - 1], 'toolUse');
        return idsIn(turns[index], 'toolResult').every((id) => called.includes(id))
          ? undefined
          : `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`;
      }),
  },
  {
    refuses: 'ids that occur twice in a turn',
    source: 'https://github.com/BerriAI/litellm/pull/20049',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      eachTurn(body, (turn, _next, index) =>
        (['toolUse', 'toolResult'] as const)
          .map((member) => {
            const id = repeated(idsIn(turn, member));
            return id && `The ${member} blocks at messages.${index}.content contain duplicate Ids: ${id}`;
          })
          .find((found) => found !== undefined),
      ),
  },
  {
    refuses: 'calls in turns of the user, and results in those of the assistant',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html',
    seen: SEEN,
    sure: 'assumed',
    violation: (body: ConverseBody) =>
      eachTurn(body, (turn, _next, index) =>
        idsIn(turn, turn.role === 'user' ? 'toolUse' : 'toolResult').length > 0
          ? `The ${turn.role} role can't have the block at messages.${index}.content.`
          : undefined,
      ),
  },
  {
    refuses: 'calls and results without tools',
    source: 'https://github.com/langgenius/dify/issues/17545',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) => {
      const isUsed = turnsOf(body).some(
        (turn) => [...idsIn(turn, 'toolUse'), ...idsIn(turn, 'toolResult')].length > 0,
      );
      return isUsed && body.toolConfig === undefined
        ? 'The toolConfig field must be defined when using toolUse and toolResult content blocks.'
        : undefined;
    },
  },
  {
    refuses: 'limits and sampling out of range',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html',
    seen: SEEN,
    sure: 'documented',
    violation({ inferenceConfig }: ConverseBody) {
      const { maxTokens, temperature, topP, stopSequences } = record(inferenceConfig);
      const unknown = unknownIn(record(inferenceConfig), words('maxTokens temperature topP stopSequences'));
      if (unknown !== undefined) return `Unknown member inferenceConfig.${unknown}`;
      if (maxTokens !== undefined && !(Number(maxTokens) >= 1)) {
        return "Value at 'inferenceConfig.maxTokens' failed to satisfy constraint: Member must have value greater than or equal to 1";
      }
      const isOut = (value: unknown) => value !== undefined && !(Number(value) >= 0 && Number(value) <= 1);
      if (isOut(temperature) || isOut(topP)) {
        return "Value at 'inferenceConfig' failed to satisfy constraint: Member must have value less than or equal to 1";
      }
      return Array.isArray(stopSequences) && stopSequences.some((sequence) => sequence === '')
        ? "Value at 'inferenceConfig.stopSequences' failed to satisfy constraint: Member must have length greater than or equal to 1"
        : undefined;
    },
  },
];

type CheckTurn = (
  turn: JsonRecord,
  next: JsonRecord | undefined,
  index: number,
  turns: readonly JsonRecord[],
) => string | undefined;

function eachTurn(body: ConverseBody, check: CheckTurn): string | undefined {
  const turns = turnsOf(body);
  return turns
    .map((turn, index) => check(turn, turns[index + 1], index, turns))
    .find((found) => found !== undefined);
}
