/** Rules about the form of the answer that is asked for. */
import { type Body, messagesOf, objectIn, partsOf } from './chat.js';
import { answerAs, SCHEMA, USER } from './examples.js';
import type { Evidence, Rule } from './rule.js';

const JSON_OBJECT = { response_format: { type: 'json_object' } };

/** The form of an answer is one of these. */
export function answerForms(
  evidence: Evidence,
  types: readonly string[],
  words: (type: string) => string,
): Rule {
  const bad = types.includes('json_schema') ? { response_format: { type: 'xml' } } : answerAs(SCHEMA);
  return {
    ...evidence,
    refuses: `A form of the answer other than ${types.join(', ')}.`,
    example: { refused: bad, taken: { response_format: { type: 'text' } } },
    violation: ({ response_format: format }) => {
      const type = objectIn(format)?.type;
      return type === undefined || types.includes(String(type)) ? undefined : words(String(type));
    },
  };
}

/** JSON without a schema is asked for in words too. */
export function jsonInWords(evidence: Evidence, words: string): Rule {
  return {
    ...evidence,
    refuses: 'An answer as json_object where no message has the word "json".',
    example: {
      refused: { ...JSON_OBJECT, messages: [USER] },
      taken: { ...JSON_OBJECT, messages: [{ ...USER, content: 'As JSON' }] },
    },
    violation: (body) => {
      const isAsked = messagesOf(body).some((message) => /json/i.test(textOf(message)));
      return objectIn(body.response_format)?.type !== 'json_object' || isAsked ? undefined : words;
    },
  };
}

/** A schema for the answer has a name. */
export function schemaNamed(evidence: Evidence, form: RegExp, words: string): Rule {
  const response_format = { type: 'json_schema', json_schema: { strict: true, schema: SCHEMA } };
  return {
    ...evidence,
    refuses: `A schema for the answer whose name is not of the form ${form.source}.`,
    example: { refused: { response_format }, taken: answerAs(SCHEMA) },
    violation: (body) => {
      const format = objectIn(body.response_format);
      const name = objectIn(format?.json_schema)?.name;
      return format?.type !== 'json_schema' || (typeof name === 'string' && form.test(name))
        ? undefined
        : words;
    },
  };
}

/** No JSON is asked for. */
export function noJson(evidence: Evidence, types: readonly string[], words: string): Rule {
  const [type = ''] = types;
  const format =
    type === 'json_schema'
      ? answerAs(SCHEMA)
      : { ...JSON_OBJECT, messages: [{ ...USER, content: 'As JSON' }] };
  return {
    ...evidence,
    refuses: `An answer as ${types.join(' or ')}.`,
    example: { refused: format, taken: {} },
    violation: ({ response_format }) =>
      types.includes(String(objectIn(response_format)?.type)) ? words : undefined,
  };
}

function textOf(message: Body): string {
  const { content } = message;
  return typeof content === 'string'
    ? content
    : partsOf(message)
        .map(({ text }) => String(text ?? ''))
        .join(' ');
}
