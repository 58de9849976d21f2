/** Google AI Studio, its endpoint that is compatible with OpenAI's, for Gemini 2.5 and 3. */
import { imageTypes, wholeCharacters } from '../contents.js';
import { refused } from '../members.js';
import { documented, onModels, reported, type StrictHost } from '../rule.js';
import { callsSigned, efforts } from '../thoughts.js';
import { toolNames, toolsOrJson } from '../tools.js';
import { callsAnswered, callsFollow } from '../turns.js';

const unknownName = (name: string) =>
  `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`;

export const googleAiStudio: StrictHost = {
  name: 'google-ai-studio',
  format: 'chat',
  model: 'gemini-2.5-flash',
  rules: [
    wholeCharacters(
      reported('https://github.com/vertesia/llumiverse/pull/462'),
      'The input data is not valid json.',
    ),
    refused(
      reported('https://github.com/MinLL/SkyrimNet-GamePlugin/issues/77'),
      { frequency_penalty: 0.5, reasoning: { enabled: true }, top_k: 4 },
      unknownName,
    ),
    refused(reported('https://github.com/Vali-98/ChatterUI/issues/227'), { seed: 1 }, unknownName),
    refused(
      reported('https://github.com/Alishahryar1/free-claude-code/issues/542'),
      { google: { thinking_config: {} } },
      unknownName,
    ),
    toolNames(
      reported('https://github.com/dust-tt/dust/pull/28212'),
      /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
      (path) =>
        `The GenerateContentRequest proto is invalid:\n  * ${path.replace('.function.name', '.name')}: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`,
      '21st_magic',
    ),
    callsAnswered(
      reported('https://github.com/google-gemini/gemini-cli/issues/3814'),
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    ),
    callsFollow(
      reported('https://github.com/google-gemini/gemini-cli/issues/26956'),
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    ),
    imageTypes(
      documented('https://ai.google.dev/gemini-api/docs/image-understanding'),
      ['image/png', 'image/jpeg', 'image/webp', 'image/heic'],
      () => 'Unsupported MIME type: image/gif',
    ),
    onModels(
      /gemini-2/,
      'gemini-2.5-flash',
      toolsOrJson(
        reported('https://github.com/vercel/ai/pull/16540'),
        ['json_object', 'json_schema'],
        "Function calling with a response mime type: 'application/json' is unsupported",
      ),
    ),
    onModels(
      /gemini-3/,
      'gemini-3-pro-preview',
      callsSigned(
        documented(
          'https://ai.google.dev/gemini-api/docs/thought-signatures; https://github.com/securo-finance/securo/issues/884',
        ),
        (name, position) =>
          `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
      ),
    ),
    onModels(
      /gemini-3.*flash/,
      'gemini-3-flash-preview',
      efforts(
        reported(
          'https://discuss.ai.google.dev/t/openai-compat-api-rejects-reasoning-effort-minimal-for-gemini-3-flash/118724',
        ),
        ['none', 'low', 'medium', 'high'],
        (effort) => `Invalid reasoning_effort: ${effort}`,
      ),
    ),
  ],
  refuse: (message, { status = 400 }) => ({
    status,
    body: [{ error: { code: status, message, status: 'INVALID_ARGUMENT' } }],
  }),
};

export const gemini3: StrictHost = { ...googleAiStudio, model: 'gemini-3-pro-preview' };
