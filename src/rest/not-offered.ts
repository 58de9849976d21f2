/** What clients of other APIs ask for and is not offered here: docs/compatibility.md#what-is-not-offered. */

interface NotOffered {
  /** The beginning of the path below the root. */
  readonly path: string;
  readonly what: string;
  readonly instead?: string;
}

const CHATS = 'POST /chat/completions, POST /messages or POST /responses';

/** From OpenAI's and Anthropic's API references, and what clients of Ollama and Gemini send; longer paths first. */
export const NOT_OFFERED: readonly NotOffered[] = [
  { path: 'messages/batches', what: 'Message batches are' },
  { path: 'complete', what: "Anthropic's text completions are", instead: `POST /completions, ${CHATS}` },
  { path: 'responses/compact', what: 'Compaction is', instead: 'POST /responses with the conversation' },
  { path: 'responses', what: 'Stored responses are', instead: 'POST /responses with the whole conversation' },
  { path: 'conversations', what: 'The Conversations API is', instead: CHATS },
  { path: 'images', what: 'The Images API is', instead: 'a chat with a model that makes images' },
  { path: 'videos', what: 'The Videos API is' },
  { path: 'audio', what: 'The Audio API (speech, transcriptions, translations) is' },
  { path: 'realtime', what: 'The Realtime API is' },
  { path: 'moderations', what: 'Moderations are' },
  { path: 'files', what: 'The Files API is', instead: 'files as parts of messages' },
  { path: 'uploads', what: 'The Uploads API is', instead: 'files as parts of messages' },
  { path: 'fine_tuning', what: 'Fine-tuning is' },
  { path: 'assistants', what: 'The Assistants API is', instead: CHATS },
  { path: 'threads', what: 'The Assistants API is', instead: CHATS },
  { path: 'vector_stores', what: 'Vector stores are' },
  { path: 'evals', what: 'The Evals API is' },
  { path: 'containers', what: 'The Containers API is' },
  { path: 'skills', what: 'The Skills API is' },
  { path: 'engines', what: 'The Engines API is', instead: 'GET /models and POST /completions' },
  { path: 'edits', what: 'The Edits API is', instead: CHATS },
  { path: 'organization', what: 'The administration API of OpenAI is', instead: 'GET /activity' },
  { path: 'organizations', what: 'The administration API of Anthropic is', instead: 'GET /activity' },
  { path: 'v1beta/models', what: "Google's own API is", instead: CHATS },
  { path: 'v1alpha/models', what: "Google's own API is", instead: CHATS },
  { path: 'generate', what: "Ollama's own API is", instead: CHATS },
  { path: 'tags', what: "Ollama's own API is", instead: 'GET /models' },
  { path: 'show', what: "Ollama's own API is", instead: 'GET /models' },
  { path: 'embed', what: "Ollama's own API is" },
];

/** Ollama's operations below `/api` whose names are too common to mean them elsewhere. */
const OLLAMA = /^\/api\/(?:(?:chat|version|ps|pull|push|create|copy|delete)$|blobs\/)/;

/** Why nothing is found there, in one sentence; undefined where the path is none of Ollama's own. */
export function notOfferedOfOllama(path: string): string | undefined {
  return OLLAMA.test(path)
    ? `Ollama's own API is not offered by this gateway; there is ${CHATS}, and GET /models`
    : undefined;
}

/** Why nothing is found there, in one sentence; undefined where nobody else has an API there either. */
export function notOffered(segments: readonly string[]): string | undefined {
  const path = `${segments.join('/')}/`;
  const found = NOT_OFFERED.find((one) => path.startsWith(`${one.path}/`));
  if (found === undefined) return undefined;
  const { what, instead } = found;
  return `${what} not offered by this gateway${instead === undefined ? '' : `; there is ${instead}`}`;
}
