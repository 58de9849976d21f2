/**
 * Violations in the body of a `generateContent` request: members of
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference, an unknown one in the words of
 * https://github.com/googleapis/python-aiplatform/issues/4333; where others have been seen stands beside them.
 */
import type { FakeContent, FakePart, GenerateCall } from './plan.js';

const MEMBERS =
  `cachedContent contents generationConfig labels safetySettings systemInstruction toolConfig tools`.split(
    ' ',
  );

const CONFIG =
  `audioTimestamp candidateCount frequencyPenalty logprobs maxOutputTokens mediaResolution presencePenalty
  responseJsonSchema responseLogprobs responseMimeType responseModalities responseSchema routingConfig seed speechConfig
  stopSequences temperature thinkingConfig topK topP`.split(/\s+/);

const PART =
  `fileData functionCall functionResponse inlineData text thought thoughtSignature videoMetadata`.split(' ');

/** Members of a tool: https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Tool */
const TOOLS =
  `codeExecution computerUse enterpriseWebSearch functionDeclarations googleMaps googleSearch googleSearchRetrieval
   retrieval urlContext`.split(/\s+/);

type Found = readonly (string | undefined)[];

/** The first violation of a body; undefined for a valid one. */
export function violationOf(call: GenerateCall, model: string): string | undefined {
  const { contents = [], generationConfig = {} } = call;
  const violations: Found = [
    ...unknownIn(call, MEMBERS, ''),
    ...unknownIn(generationConfig, CONFIG, " at 'generation_config'"),
    contents.length === 0 ? 'at least one contents field is required' : undefined,
    ...contents.flatMap((content, index) => contentViolations(content, `contents[${index}]`)),
    ...contents.map((_, index) => pairViolation(contents, index)),
    ...contents.map((content, index) => signatureViolation(content, index, model)),
    ...toolViolations(call),
    ...thinkingViolations(call, model),
    (generationConfig.stopSequences as readonly string[] | undefined)?.includes('')
      ? 'Unable to submit request because it has an empty stop sequence'
      : undefined,
    generationConfig.responseJsonSchema !== undefined && generationConfig.responseMimeType === undefined
      ? 'responseMimeType is required with a schema'
      : undefined,
    generationConfig.logprobs !== undefined && generationConfig.responseLogprobs !== true
      ? 'logprobs is only allowed with response_logprobs'
      : undefined,
  ];
  return violations.find((violation) => violation !== undefined);
}

function unknownIn(value: object, known: readonly string[], at: string): Found {
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  return unknown.map(
    (name) => `Invalid JSON payload received. Unknown name "${name}"${at}: Cannot find field.`,
  );
}

/** No parts: https://github.com/agno-agi/agno/issues/5843. */
function contentViolations({ role, parts }: FakeContent, at: string): Found {
  return [
    role === 'user' || role === 'model' ? undefined : 'Please use a valid role: user, model.',
    parts.length === 0
      ? 'Unable to submit request because it must include at least one parts field'
      : undefined,
    ...parts.flatMap((part, index) => partViolations(part, ` at '${at}.parts[${index}]'`)),
  ];
}

/** An empty text: https://github.com/Portkey-AI/gateway/issues/462. */
function partViolations(part: FakePart, at: string): Found {
  const { text, functionCall, functionResponse, inlineData, fileData } = part;
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return [
    ...unknownIn(part, PART, at),
    text === '' ? 'Unable to submit request because it has an empty text parameter' : undefined,
    ...(functionCall ? unknownIn(functionCall, ['name', 'args'], `${at}.function_call`) : []),
    ...(functionResponse ? unknownIn(functionResponse, ['name', 'response'], `${at}.function_response`) : []),
    functionCall && !isObject(functionCall.args) ? `Invalid value${at}.function_call.args` : undefined,
    functionResponse && !isObject(functionResponse.response)
      ? `Invalid value${at}.function_response.response`
      : undefined,
    functionResponse?.name === '' ? 'Name cannot be empty' : undefined,
    inlineData && !/^[A-Za-z0-9+/]+=*$/.test(inlineData.data ?? '')
      ? `Base64 decoding failed${at}`
      : undefined,
    (inlineData && !inlineData.mimeType) || (fileData && !fileData.mimeType)
      ? 'Unable to submit request because it must have a mimeType parameter'
      : undefined,
  ];
}

/** Calls are answered in the next turn, all of them: https://github.com/google-gemini/gemini-cli/issues/4217; in their order. */
function pairViolation(contents: readonly FakeContent[], index: number): string | undefined {
  const answered = (contents[index]?.parts ?? []).flatMap(
    ({ functionResponse }) => functionResponse?.name ?? [],
  );
  const called = (contents[index - 1]?.parts ?? []).flatMap(({ functionCall }) => functionCall?.name ?? []);
  if (answered.join() === called.join()) return undefined;
  return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
}

/** Since Gemini 3: https://github.com/QwenLM/qwen-code/issues/1187. */
function signatureViolation({ parts }: FakeContent, index: number, model: string): string | undefined {
  const first = parts.find(({ functionCall }) => functionCall !== undefined);
  if (first === undefined || !/gemini-[3-9]/.test(model) || first.thoughtSignature !== undefined)
    return undefined;
  return `Unable to submit request because function call \`default_api:${first.functionCall?.name}\` in the ${index + 1}. content block is missing a \`thought_signature\`.`;
}

function toolViolations({ tools, toolConfig }: GenerateCall): Found {
  const { mode, allowedFunctionNames } = toolConfig?.functionCallingConfig ?? {};
  const names = (tools ?? []).flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.map(({ name }) => name),
  );
  return [
    ...(tools ?? []).flatMap((tool) => unknownIn(tool, TOOLS, " at 'tools'")),
    mode !== undefined && !['AUTO', 'ANY', 'NONE', 'VALIDATED'].includes(mode)
      ? `Invalid mode ${mode}`
      : undefined,
    allowedFunctionNames !== undefined && mode !== 'ANY' && mode !== 'VALIDATED'
      ? 'Function calling config is set without function calling mode ANY'
      : undefined,
    ...(allowedFunctionNames ?? []).map((name) =>
      names.includes(name) ? undefined : `allowed_function_names: ${name} is not declared`,
    ),
  ];
}

/**
 * https://ai.google.dev/gemini-api/docs/thinking; no budget at a Pro: https://github.com/vercel/ai/issues/8027; a level
 * before Gemini 3: https://github.com/RooCodeInc/Roo-Code/issues/10700.
 */
function thinkingViolations({ generationConfig }: GenerateCall, model: string): Found {
  const { thinkingBudget, thinkingLevel } = generationConfig?.thinkingConfig ?? {};
  const isPro = model.includes('pro');
  return [
    thinkingBudget !== undefined && thinkingLevel !== undefined
      ? 'You can only set only one of thinking budget and thinking level.'
      : undefined,
    thinkingLevel !== undefined && !/gemini-[3-9]/.test(model)
      ? 'Unable to submit request because Thinking level is not supported for this model.'
      : undefined,
    thinkingLevel === 'MINIMAL' && isPro
      ? 'Thinking level MINIMAL is not supported for this model.'
      : undefined,
    thinkingBudget === 0 && isPro
      ? 'Unable to submit request because Budget 0 is invalid. This model only works in thinking mode.'
      : undefined,
    thinkingBudget !== undefined && thinkingBudget > 32_768 ? 'thinking_budget is out of range' : undefined,
  ];
}
