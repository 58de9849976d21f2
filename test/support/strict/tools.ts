/** Rules about tools and the choice among them. */
import { type Body, objectIn, placesOf, toolsOf } from './chat.js';
import { answerAs, SCHEMA, tool, withTool } from './examples.js';
import type { Evidence, Rule } from './rule.js';

const NAMED = { type: 'function', function: { name: 'lookup' } };

/** A list of tools is not empty. */
export function toolsNotEmpty(evidence: Evidence, words: string): Rule {
  return {
    ...evidence,
    refuses: 'An empty list of tools.',
    example: { refused: { tools: [] }, taken: withTool() },
    violation: ({ tools }) => (Array.isArray(tools) && tools.length === 0 ? words : undefined),
  };
}

export function toolCount(evidence: Evidence, most: number, words: (count: number) => string): Rule {
  const tools = Array.from({ length: most + 1 }, (_, index) => tool({ name: `lookup${index}` }));
  return {
    ...evidence,
    refuses: `More than ${most} tools.`,
    example: { refused: { tools }, taken: { tools: tools.slice(1) } },
    violation: (body) => (toolsOf(body).length > most ? words(toolsOf(body).length) : undefined),
  };
}

/** Names of functions are of this form. */
export function toolNames(
  evidence: Evidence,
  form: RegExp,
  words: (path: string, name: string) => string,
  bad = 'look.up/now',
): Rule {
  return {
    ...evidence,
    refuses: `Names of functions that are not of the form ${form.source}.`,
    example: { refused: withTool({ name: bad }), taken: withTool() },
    violation: (body) => {
      const wrong = placesOf(body, 'function').find(({ value }) => !form.test(String(value.name)));
      return wrong === undefined ? undefined : words(`${wrong.path}.name`, String(wrong.value.name));
    },
  };
}

/** Descriptions of functions have no more characters than this. */
export function descriptionLength(
  evidence: Evidence,
  most: number,
  words: (path: string, length: number) => string,
): Rule {
  const long = 'x'.repeat(most + 1);
  return {
    ...evidence,
    refuses: `Descriptions of functions of more than ${most} characters.`,
    example: { refused: withTool({ description: long }), taken: withTool({ description: long.slice(1) }) },
    violation: (body) => {
      const wrong = placesOf(body, 'function').find(
        ({ value }) => String(value.description ?? '').length > most,
      );
      if (wrong === undefined) return undefined;
      return words(`${wrong.path}.description`, String(wrong.value.description).length);
    },
  };
}

/** Either all functions are strict, or none. */
export function alikeStrict(evidence: Evidence, words: string): Rule {
  const both = [tool({ name: 'loose' }), tool({ strict: true })];
  return {
    ...evidence,
    refuses: 'Strict functions beside others.',
    example: { refused: { tools: both }, taken: { tools: both.slice(1) } },
    violation: (body) => {
      const values = new Set(placesOf(body, 'function').map(({ value }) => value.strict === true));
      return values.size > 1 ? words : undefined;
    },
  };
}

/** The model has no tools at all. */
export function noTools(evidence: Evidence, words: string): Rule {
  return {
    ...evidence,
    refuses: 'Tools.',
    example: { refused: withTool(), taken: {} },
    violation: (body) => (toolsOf(body).length > 0 ? words : undefined),
  };
}

/** Functions have parameters. */
export function parametersThere(evidence: Evidence, words: (path: string) => string): Rule {
  return {
    ...evidence,
    refuses: 'A function without parameters.',
    example: { refused: { tools: [{ type: 'function', function: { name: 'lookup' } }] }, taken: withTool() },
    violation: (body) => {
      const bare = placesOf(body, 'function').find(({ value }) => objectIn(value.parameters) === undefined);
      return bare === undefined ? undefined : words(`${bare.path}.parameters`);
    },
  };
}

/** A choice of tools is one of these words or, where `named` is, a function. */
export function choices(
  evidence: Evidence,
  allowed: readonly string[],
  named: boolean,
  words: (choice: unknown) => string,
): Rule {
  const bad = named ? { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [NAMED] } } : NAMED;
  return {
    ...evidence,
    refuses: `A choice of tools that is not ${allowed.join(', ')}${named ? ' or a function' : ''}.`,
    example: { refused: { ...withTool(), tool_choice: bad }, taken: { ...withTool(), tool_choice: 'auto' } },
    violation: ({ tool_choice: choice }) => {
      if (choice === undefined || choice === null || allowed.includes(String(choice))) return undefined;
      return named && objectIn(choice)?.type === 'function' ? undefined : words(choice);
    },
  };
}

/** A tool is not forced: neither any nor a certain one, or only not a certain one. */
export function notForced(
  evidence: Evidence,
  forced: 'any' | 'certain',
  words: (choice: 'required' | 'specified') => string,
): Rule {
  return {
    ...evidence,
    refuses: `A choice that forces ${forced === 'any' ? 'a tool' : 'a certain tool'}.`,
    example: {
      refused: { ...withTool(), tool_choice: NAMED },
      taken: { ...withTool(), tool_choice: 'auto' },
    },
    violation: ({ tool_choice: choice }) => {
      if (objectIn(choice)?.type === 'function') return words('specified');
      return forced === 'any' && (choice === 'required' || choice === 'any') ? words('required') : undefined;
    },
  };
}

/** Tools and an answer in JSON do not go together. */
export function toolsOrJson(evidence: Evidence, types: readonly string[], words: string): Rule {
  const answer = types.includes('json_schema')
    ? answerAs(SCHEMA)
    : { response_format: { type: 'json_object' } };
  const asked = { ...answer, messages: [{ role: 'user', content: 'As JSON' }] };
  return {
    ...evidence,
    refuses: `Tools together with an answer as ${types.join(' or ')}.`,
    example: { refused: { ...withTool(), ...asked }, taken: withTool() },
    violation: (body) => {
      const type = String(objectIn(body.response_format)?.type);
      return toolsOf(body).length > 0 && types.includes(type) ? words : undefined;
    },
  };
}

/** Tools do not go together with reasoning; `isReasoning` reads the effort. */
export function toolsOrReasoning(
  evidence: Evidence,
  isReasoning: (effort: unknown) => boolean,
  words: (model: string) => string,
): Rule {
  return {
    ...evidence,
    refuses: 'Functions together with reasoning.',
    example: {
      refused: { ...withTool(), reasoning_effort: 'medium' },
      taken: { ...withTool(), reasoning_effort: 'none' },
    },
    violation: (body: Body, { model }) =>
      placesOf(body, 'function').length > 0 && isReasoning(body.reasoning_effort) ? words(model) : undefined,
  };
}
