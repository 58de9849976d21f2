/** Rules of `generateContent` about turns and parts. */
import type { Rule } from '../rule.js';
import { hasHalves, isBase64, isRecord, record, unknownIn, words } from '../values.js';
import { callsIn, contentsOf, eachPart, type GenerateCall, isLate, partsOf, responsesIn } from './body.js';

const SEEN = '2026-11-26';
const REFERENCE = 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference';

const MEMBERS = words(
  'cachedContent contents generationConfig labels safetySettings systemInstruction toolConfig tools',
);
const PART = words(
  'fileData functionCall functionResponse inlineData text thought thoughtSignature videoMetadata',
);
const CALL = words('name args');
const RESPONSE = words('name response');

const IMAGES = words('image/png image/jpeg image/webp image/heic image/heif');

function unknownName(name: string | undefined, at: string): string | undefined {
  return name && `Invalid JSON payload received. Unknown name "${name}"${at}: Cannot find field.`;
}

export const TURN_RULES: readonly Rule[] = [
  {
    refuses: 'members that the method does not have',
    source: REFERENCE,
    seen: SEEN,
    sure: 'documented',
    violation: (call: GenerateCall) =>
      unknownName(unknownIn(call, MEMBERS), '') ??
      eachPart(call, (part, at) => {
        const { functionCall, functionResponse } = part;
        return (
          unknownName(unknownIn(part, PART), ` at '${at}'`) ??
          unknownName(unknownIn(record(functionCall), CALL), ` at '${at}.function_call'`) ??
          unknownName(unknownIn(record(functionResponse), RESPONSE), ` at '${at}.function_response'`)
        );
      }),
  },
  {
    refuses: 'half of a surrogate pair',
    source: 'https://protobuf.dev/programming-guides/proto3/#scalar',
    seen: SEEN,
    sure: 'assumed',
    violation: (call) =>
      hasHalves(call) ? 'Invalid JSON payload received. Invalid UTF-8 in string.' : undefined,
  },
  {
    refuses: 'requests without contents',
    source: REFERENCE,
    seen: SEEN,
    sure: 'documented',
    violation: (call: GenerateCall) =>
      contentsOf(call).length === 0 ? 'at least one contents field is required' : undefined,
  },
  {
    refuses: 'roles other than user and model',
    source: REFERENCE,
    seen: SEEN,
    sure: 'documented',
    violation: (call: GenerateCall) =>
      contentsOf(call).every(({ role }) => role === 'user' || role === 'model')
        ? undefined
        : 'Please use a valid role: user, model.',
  },
  {
    refuses: 'contents without parts',
    source: 'https://github.com/agno-agi/agno/issues/5843',
    seen: SEEN,
    sure: 'reported',
    violation: (call: GenerateCall) =>
      contentsOf(call).every((content) => partsOf(content).length > 0)
        ? undefined
        : 'Unable to submit request because it must include at least one parts field',
  },
  {
    refuses: 'empty texts',
    source: 'https://github.com/Portkey-AI/gateway/issues/462',
    seen: SEEN,
    sure: 'reported',
    violation: (call: GenerateCall) =>
      eachPart(call, ({ text }) =>
        text === '' ? 'Unable to submit request because it has an empty text parameter' : undefined,
      ),
  },
  {
    refuses: 'arguments and responses that are no objects',
    source: '@google/genai FunctionCall, FunctionResponse',
    seen: SEEN,
    sure: 'typed',
    violation: (call: GenerateCall) =>
      eachPart(call, ({ functionCall, functionResponse }, at) => {
        if (functionCall !== undefined && !isRecord(record(functionCall).args)) {
          return `Invalid value at '${at}.function_call.args'`;
        }
        return functionResponse !== undefined && !isRecord(record(functionResponse).response)
          ? `Invalid value at '${at}.function_response.response'`
          : undefined;
      }),
  },
  {
    refuses: 'names of calls and responses that no function may have',
    // That of a declaration; what a history may have, no document says.
    source:
      'https://docs.cloud.google.com/ruby/docs/reference/google-cloud-ai_platform-v1/1.9.0/Google-Cloud-AIPlatform-V1-FunctionDeclaration',
    seen: SEEN,
    sure: 'assumed',
    violation: (call: GenerateCall) =>
      eachPart(call, ({ functionCall, functionResponse }) => {
        const named = functionCall ?? functionResponse;
        return named === undefined || /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(String(record(named).name))
          ? undefined
          : 'Invalid function name. Must start with a letter or an underscore.';
      }),
  },
  {
    refuses: 'calls that do not follow the user or a response',
    source: 'https://github.com/google-gemini/gemini-cli/issues/11814',
    seen: SEEN,
    sure: 'reported',
    violation: (call: GenerateCall) =>
      contentsOf(call).some(
        (content, index, contents) => callsIn(content).length > 0 && contents[index - 1]?.role !== 'user',
      )
        ? 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
        : undefined,
  },
  {
    refuses: 'other responses than the calls of the turn before, in their order',
    source: 'https://github.com/google-gemini/gemini-cli/issues/4217',
    seen: SEEN,
    sure: 'reported',
    violation: (call: GenerateCall) =>
      contentsOf(call).every(
        (content, index, contents) => responsesIn(content).join() === callsIn(contents[index - 1]).join(),
      )
        ? undefined
        : 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  },
  {
    refuses: 'a conversation that ends with the model',
    source: 'https://github.com/crewAIInc/crewAI/pull/6973',
    seen: SEEN,
    sure: 'reported',
    violation: (call: GenerateCall) =>
      contentsOf(call).at(-1)?.role === 'model'
        ? 'Please ensure that multiturn requests end with a user role or a function response.'
        : undefined,
  },
  {
    refuses: 'a conversation that begins with the model',
    source: 'https://github.com/google-gemini/deprecated-generative-ai-js/issues/190',
    seen: SEEN,
    sure: 'assumed',
    violation: (call: GenerateCall) =>
      contentsOf(call)[0]?.role === 'model'
        ? 'Please ensure that the first content has the role user.'
        : undefined,
  },
  {
    refuses: 'data that are not in base64, or of no type',
    source: REFERENCE,
    seen: SEEN,
    sure: 'documented',
    violation: (call: GenerateCall) =>
      eachPart(call, ({ inlineData, fileData }, at) => {
        if (inlineData !== undefined && !isBase64(record(inlineData).data))
          return `Base64 decoding failed at '${at}'`;
        const media = inlineData ?? fileData;
        return media !== undefined && !record(media).mimeType
          ? 'Unable to submit request because it must have a mimeType parameter'
          : undefined;
      }),
  },
  {
    refuses: 'images other than PNG, JPEG, WebP and HEIC, by what they are called',
    source: 'https://github.com/microsoft/vscode/issues/286628',
    seen: SEEN,
    sure: 'documented',
    violation: (call: GenerateCall) =>
      eachPart(call, ({ inlineData, fileData }) => {
        const type = String(record(inlineData ?? fileData).mimeType ?? '');
        return type.startsWith('image/') && !IMAGES.has(type) ? `Unsupported MIME type: ${type}` : undefined;
      }),
  },
  {
    refuses: 'calls without a signature, since Gemini 3: the first one of each turn',
    source: 'https://github.com/QwenLM/qwen-code/issues/1187',
    seen: SEEN,
    sure: 'reported',
    violation: (call: GenerateCall, { model }) => {
      if (!isLate(model)) return undefined;
      for (const [index, content] of contentsOf(call).entries()) {
        const first = partsOf(content).find(({ functionCall }) => functionCall !== undefined);
        if (first !== undefined && !first.thoughtSignature) {
          return `Unable to submit request because function call \`default_api:${first.functionCall?.name}\` in the ${index + 1}. content block is missing a \`thought_signature\`.`;
        }
      }
      return undefined;
    },
  },
  {
    refuses: 'signatures that are not in base64, of either alphabet',
    // `skip_thought_signature_validator`, which https://ai.google.dev/gemini-api/docs/thought-signatures allows, is.
    source: 'https://protobuf.dev/programming-guides/json/',
    seen: SEEN,
    sure: 'documented',
    violation: (call: GenerateCall) =>
      eachPart(call, ({ thoughtSignature }, at) =>
        thoughtSignature === undefined || /^[A-Za-z0-9+/_-]+=*$/.test(String(thoughtSignature))
          ? undefined
          : `Invalid value at '${at}.thought_signature' (TYPE_BYTES), Base64 decoding failed`,
      ),
  },
];
