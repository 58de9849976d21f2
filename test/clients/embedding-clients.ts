/** Clients of embeddings, unmodified, from folders of their own, with their defaults. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folders, which `npm run clients` installs. */
export const { RESPONSES_CLIENTS = '', LANGCHAIN = '' } = process.env;

export interface Asked {
  readonly rest: string;
  readonly apiKey: string;
  readonly model: string;
}

export type EmbeddingClient = (asked: Asked, texts: readonly string[]) => Promise<number[][]>;

// biome-ignore lint/suspicious/noExplicitAny: the packages are not installed where types are checked.
type Loaded = any;

function load(folder: string, name: string): Promise<Loaded> {
  const { resolve } = createRequire(join(folder, 'package.json'));
  return import(pathToFileURL(resolve(name)).href);
}

export const EMBEDDING_CLIENTS: Readonly<Record<string, EmbeddingClient>> = {
  /** https://ai-sdk.dev/docs/ai-sdk-core/embeddings */
  async "the AI SDK's embedMany"({ rest, apiKey, model }, values) {
    const [{ createOpenAI }, { embedMany }] = await Promise.all([
      load(RESPONSES_CLIENTS, '@ai-sdk/openai'),
      load(RESPONSES_CLIENTS, 'ai'),
    ]);
    const { embeddings } = await embedMany({
      model: createOpenAI({ baseURL: rest, apiKey }).embedding(model),
      values,
      maxRetries: 0,
    });
    return embeddings;
  },
  /** https://github.com/openai/openai-node, the newest */
  async "OpenAI's SDK 7"({ rest, apiKey, model }, input) {
    const { default: OpenAI } = await load(RESPONSES_CLIENTS, 'openai');
    const { data } = await new OpenAI({ baseURL: rest, apiKey }).embeddings.create({ model, input });
    return data.map(({ embedding }: { readonly embedding: number[] }) => embedding);
  },
  /** https://docs.langchain.com/oss/javascript/integrations/text_embedding/openai */
  async "LangChain's OpenAIEmbeddings"({ rest, apiKey, model }, texts) {
    const { OpenAIEmbeddings } = await load(LANGCHAIN, '@langchain/openai');
    const made = new OpenAIEmbeddings({ model, apiKey, configuration: { baseURL: rest }, maxRetries: 0 });
    return made.embedDocuments(texts);
  },
};
