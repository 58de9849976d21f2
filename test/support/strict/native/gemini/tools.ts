/** Rules of `generateContent` about tools; some differ by model. */
import { schemasIn } from '../json-schema-form.js';
import type { Rule } from '../rule.js';
import { record, records, unknownIn, words } from '../values.js';
import { declarationsOf, type GenerateCall, isLate } from './body.js';

const SEEN = '2026-11-26';
const REFERENCE = 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference';

const CONFIG = words(`audioTimestamp candidateCount frequencyPenalty logprobs maxOutputTokens mediaResolution
  presencePenalty responseJsonSchema responseLogprobs responseMimeType responseModalities responseSchema routingConfig seed
  speechConfig stopSequences temperature thinkingConfig topK topP`);

/** Members of a tool: https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Tool */
const TOOLS =
  words(`codeExecution computerUse enterpriseWebSearch functionDeclarations googleMaps googleSearch
  googleSearchRetrieval retrieval urlContext`);

const DECLARATION = words('name description parameters parametersJsonSchema response responseJsonSchema');

/** `Schema` of the package `@google/genai`. */
const SCHEMA =
  words(`anyOf default description enum example format items maxItems maxLength maxProperties maximum minItems
  minLength minProperties minimum nullable pattern properties propertyOrdering required title type`);

export const TOOL_RULES: readonly Rule[] = [
  {
    refuses: 'members of tools and of the configuration that there are not',
    source: REFERENCE,
    seen: SEEN,
    sure: 'documented',
    violation(call: GenerateCall) {
      const config = unknownIn(record(call.generationConfig), CONFIG);
      if (config !== undefined) return unknownName(config, 'generation_config');
      const tool = records(call.tools)
        .map((one) => unknownIn(one, TOOLS))
        .find((name) => name !== undefined);
      if (tool !== undefined) return unknownName(tool, 'tools');
      const declaration = declarationsOf(call)
        .map((one) => unknownIn(one, DECLARATION))
        .find((name) => name !== undefined);
      return declaration && unknownName(declaration, 'tools[0].function_declarations');
    },
  },
  {
    refuses:
      'names that begin with anything but a letter or _, with other characters than letters, digits, _, . and -, or more than 64',
    source: 'https://github.com/google-gemini/gemini-cli/issues/7869',
    seen: SEEN,
    sure: 'documented',
    violation(call: GenerateCall) {
      const index = declarationsOf(call).findIndex(
        ({ name }) => !/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(String(name)),
      );
      return index < 0
        ? undefined
        : `* GenerateContentRequest.tools[0].function_declarations[${index}].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.) or dashes (-), with a maximum length of 64.`;
    },
  },
  {
    refuses: 'parameters that are no object',
    source: 'https://github.com/spring-projects/spring-ai/issues/1373',
    seen: SEEN,
    sure: 'reported',
    violation(call: GenerateCall) {
      const bad = declarationsOf(call).find(({ parameters, parametersJsonSchema }) =>
        [parameters, parametersJsonSchema].some(
          (schema) => schema !== undefined && String(record(schema).type).toUpperCase() !== 'OBJECT',
        ),
      );
      return (
        bad &&
        `Unable to submit request because ${bad.name} functionDeclaration parameters schema should be of type OBJECT.`
      );
    },
  },
  {
    refuses: 'words of JSON Schema in `parameters` that its own schema lacks',
    source: 'https://github.com/nanbingxyz/5ire/issues/42',
    seen: SEEN,
    sure: 'reported',
    violation(call: GenerateCall) {
      const schemas = [
        ...declarationsOf(call).map(({ parameters }) => parameters),
        call.generationConfig?.responseSchema,
      ];
      const unknown = schemas
        .flatMap((schema) => [...schemasIn(schema)])
        .map((schema) => unknownIn(schema, SCHEMA))
        .find((name) => name !== undefined);
      return unknown && unknownName(unknown, 'tools[0].function_declarations[0].parameters');
    },
  },
  {
    refuses: 'parameters in both forms',
    source: '@google/genai FunctionDeclaration.parametersJsonSchema',
    seen: SEEN,
    sure: 'typed',
    violation: (call: GenerateCall) =>
      declarationsOf(call).some(({ parameters, parametersJsonSchema }) => parameters && parametersJsonSchema)
        ? 'Unable to submit request because parameters and parametersJsonSchema are mutually exclusive.'
        : undefined,
  },
  {
    refuses: 'references with other words beside them, but for those that begin with $',
    source: '@google/genai GenerationConfig.responseJsonSchema',
    seen: SEEN,
    sure: 'documented',
    violation(call: GenerateCall) {
      const schemas = [
        ...declarationsOf(call).map(({ parametersJsonSchema }) => parametersJsonSchema),
        call.generationConfig?.responseJsonSchema,
      ];
      const isBad = schemas
        .flatMap((schema) => [...schemasIn(schema)])
        .some((schema) => '$ref' in schema && Object.keys(schema).some((name) => !name.startsWith('$')));
      return isBad
        ? 'Unable to submit request because `$ref` may not have other properties beside it.'
        : undefined;
    },
  },
  {
    refuses:
      'modes of calling that there are not, and names without a mode that forces them, or of no function',
    source: REFERENCE,
    seen: SEEN,
    sure: 'documented',
    violation(call: GenerateCall) {
      const { mode, allowedFunctionNames } = call.toolConfig?.functionCallingConfig ?? {};
      if (mode !== undefined && !words('AUTO ANY NONE VALIDATED').has(mode)) return `Invalid mode ${mode}`;
      if (allowedFunctionNames === undefined) return undefined;
      if (mode !== 'ANY' && mode !== 'VALIDATED')
        return 'Function calling config is set without function calling mode ANY';
      const names = declarationsOf(call).map(({ name }) => name);
      const unknown = allowedFunctionNames.find((name) => !names.includes(name));
      return unknown && `allowed_function_names: ${unknown} is not declared`;
    },
  },
  {
    refuses: 'a mode of calling without functions',
    source: REFERENCE,
    seen: SEEN,
    sure: 'assumed',
    violation: (call: GenerateCall) =>
      call.toolConfig?.functionCallingConfig?.mode === 'ANY' && declarationsOf(call).length === 0
        ? 'Function calling config is set without function_declarations.'
        : undefined,
  },
  {
    refuses: 'lists of functions without functions',
    source: REFERENCE,
    seen: SEEN,
    sure: 'assumed',
    violation: (call: GenerateCall) =>
      records(call.tools).some(
        ({ functionDeclarations }) =>
          Array.isArray(functionDeclarations) && functionDeclarations.length === 0,
      )
        ? 'Unable to submit request because it must have one or more function declarations.'
        : undefined,
  },
  {
    refuses: 'functions beside tools of its own, before Gemini 3',
    source: 'https://github.com/BerriAI/litellm/pull/26887',
    seen: SEEN,
    sure: 'reported',
    violation: (call: GenerateCall, { model }) =>
      !isLate(model) &&
      declarationsOf(call).length > 0 &&
      records(call.tools).some((tool) => Object.keys(tool).some((name) => name !== 'functionDeclarations'))
        ? 'Multiple tools are supported only when they are all search tools.'
        : undefined,
  },
  {
    refuses: 'functions beside an answer in JSON, before Gemini 3',
    source: 'https://github.com/googleapis/python-genai/issues/867',
    seen: SEEN,
    sure: 'reported',
    violation: (call: GenerateCall, { model }) =>
      !isLate(model) &&
      declarationsOf(call).length > 0 &&
      call.generationConfig?.responseMimeType === 'application/json'
        ? "Function calling with a response mime type: 'application/json' is unsupported"
        : undefined,
  },
];

function unknownName(name: string, at: string): string {
  return `Invalid JSON payload received. Unknown name "${name}" at '${at}': Cannot find field.`;
}
