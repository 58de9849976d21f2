/** Translates how much a model shall reason, and the form of its answer: its schema, and what it tells of its tokens. */
import type { JsonObject } from '../chat/types.js';
import { elements, isObject, members, textOf } from '../json.js';
import type { Findings } from '../reading/findings.js';
import type { ResponsesBody } from './types.js';
import type { WritingRules } from './writing-rules.js';

/** Asks for what a model needs back of its reasoning. */
const ENCRYPTED = 'reasoning.encrypted_content';

/** What the client wants of the reasoning. */
export function wantedReasoning({
  reasoning,
  include,
}: ResponsesBody): Pick<WritingRules, 'showsReasoning' | 'carriesReasoning'> {
  const { summary, generate_summary } = members(reasoning);
  return {
    showsReasoning: [summary, generate_summary].some((kind) => textOf(kind) !== undefined && kind !== 'none'),
    carriesReasoning: elements(include).includes(ENCRYPTED),
  };
}

/** The member `reasoning`; empty if the request leaves it to the model. */
export function chatReasoning(body: ResponsesBody, findings: Findings): JsonObject {
  const { effort, max_tokens, enabled, summary, generate_summary, ...rest } = members(body.reasoning);
  for (const name of Object.keys(rest)) findings.omit(`reasoning.${name}`);
  const said = {
    ...(textOf(effort) !== undefined && { effort }),
    ...(typeof max_tokens === 'number' && { max_tokens }),
    ...(typeof enabled === 'boolean' && { enabled }),
  };
  if (Object.keys(said).length === 0) return {};
  const { showsReasoning, carriesReasoning } = wantedReasoning(body);
  return { reasoning: { ...said, ...(!showsReasoning && !carriesReasoning && { exclude: true }) } };
}

/** A name for a schema, which chats require. */
const SCHEMA_NAME = 'answer';

/** The members `response_format`, `verbosity`, `logprobs` and `top_logprobs`. */
export function chatAnswerForm(body: ResponsesBody, findings: Findings): JsonObject {
  const { format, verbosity, ...rest } = members(body.text);
  for (const name of Object.keys(rest)) findings.omit(`text.${name}`);
  return {
    ...formatOf(members(format), findings),
    ...(textOf(verbosity) !== undefined && { verbosity }),
    ...logprobsOf(body),
  };
}

function formatOf(format: JsonObject, findings: Findings): JsonObject {
  const { type } = format;
  if (type === 'json_object') return { response_format: { type } };
  if (type === 'json_schema') return { response_format: { type, json_schema: schemaOf(format) } };
  if (type !== undefined && type !== null && type !== 'text') findings.omit('text.format');
  return {};
}

/** Some clients nest the members, as chats do. */
function schemaOf(format: JsonObject): JsonObject {
  const said = isObject(format.json_schema) ? format.json_schema : format;
  const { name, description, schema, strict } = said;
  return {
    name: textOf(name) ?? SCHEMA_NAME,
    ...(textOf(description) !== undefined && { description }),
    ...(isObject(schema) && { schema }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

const LOGPROBS = 'message.output_text.logprobs';

function logprobsOf({ include, top_logprobs }: ResponsesBody): JsonObject {
  const top = typeof top_logprobs === 'number' && top_logprobs > 0 ? { top_logprobs } : {};
  const isAsked = elements(include).includes(LOGPROBS) || top.top_logprobs !== undefined;
  return isAsked ? { logprobs: true, ...top } : {};
}
