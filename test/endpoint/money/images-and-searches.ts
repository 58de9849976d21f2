/** Answers with images and searches, at the prices of the packaged catalogue, and what each must cost. */
import { readFileSync } from 'node:fs';

type Prices = Readonly<Record<string, string>>;

interface Packaged {
  readonly models: readonly {
    readonly id: string;
    readonly endpoints?: readonly { readonly provider: string; readonly pricing?: Prices }[];
  }[];
}

const PACKAGED: Packaged = JSON.parse(readFileSync('src/catalog/data/default-catalog.json', 'utf8'));

export function packagedPrices(id: string, provider: string): Prices {
  const model = PACKAGED.models.find((one) => one.id === id);
  const prices = model?.endpoints?.find((one) => one.provider === provider)?.pricing;
  if (prices === undefined) throw new Error(`${provider} has no ${id}`);
  return prices;
}

/** Per million tokens, or pieces. */
type Line = readonly [count: number, price: string];

export interface Case {
  readonly name: string;
  readonly platform: 'openai' | 'vertex-gemini';
  /** Where the packaged catalogue has the price. */
  readonly priced: readonly [id: string, provider: string] | Prices;
  readonly upstreamId: string;
  readonly plan: object;
  readonly cost: readonly Line[];
  readonly countedBy?: 'estimate';
}

const modality = (name: string, tokenCount: number) => ({ modality: name, tokenCount });
const PICTURE = { inlineData: { mimeType: 'image/png', data: 'AA==' } };

/** A picture of 1,120 tokens and 217 of thoughts: https://github.com/BerriAI/litellm/issues/18182 */
const PICTURED = {
  promptTokenCount: 533,
  candidatesTokenCount: 1120,
  thoughtsTokenCount: 217,
  totalTokenCount: 1870,
};

const searched = (...webSearchQueries: string[]) => ({
  groundingMetadata: {
    webSearchQueries,
    groundingChunks: [{ web: { uri: 'https://example.com/a', title: 'A' } }],
  },
});

export const CASES: readonly Case[] = [
  {
    name: 'text of an image model at the price of text',
    platform: 'openai',
    priced: ['google/gemini-2.5-flash-image', 'google-ai-studio'],
    upstreamId: 'gemini-2.5-flash-image',
    plan: { usage: { prompt_tokens: 100, completion_tokens: 4, total_tokens: 104 } },
    cost: [
      [100, '0.0000003'],
      [4, '0.0000025'],
    ],
  },
  {
    name: 'images at the price of images, and the text beside them at that of text',
    platform: 'openai',
    priced: ['google/gemini-3-pro-image-preview', 'google-ai-studio'],
    upstreamId: 'gemini-3-pro-image-preview',
    plan: {
      usage: {
        prompt_tokens: 533,
        completion_tokens: 1337,
        total_tokens: 1870,
        completion_tokens_details: { reasoning_tokens: 217, image_tokens: 1120 },
      },
    },
    cost: [
      [533, '0.000002'],
      [217, '0.000012'],
      [1120, '0.00012'],
    ],
  },
  {
    name: 'tokens that can be no text as images, where the host does not tell',
    platform: 'openai',
    priced: ['google/gemini-2.5-flash-image', 'google-ai-studio'],
    upstreamId: 'gemini-2.5-flash-image',
    plan: { usage: { prompt_tokens: 0, completion_tokens: 1290, total_tokens: 1290 }, words: [] },
    cost: [[1290, '0.00003']],
    countedBy: 'estimate',
  },
  {
    name: 'images of Google by modality',
    platform: 'vertex-gemini',
    priced: ['google/gemini-3-pro-image-preview', 'google-ai-studio'],
    upstreamId: 'gemini-3-pro-image-preview',
    plan: {
      parts: [{ text: 'Hm', thought: true }, PICTURE],
      usage: { ...PICTURED, candidatesTokensDetails: [modality('IMAGE', 1120)] },
    },
    cost: [
      [533, '0.000002'],
      [217, '0.000012'],
      [1120, '0.00012'],
    ],
  },
  {
    name: 'images of Google without modalities, as what is neither thought nor said',
    platform: 'vertex-gemini',
    priced: ['google/gemini-3-pro-image-preview', 'google-ai-studio'],
    upstreamId: 'gemini-3-pro-image-preview',
    plan: { parts: [PICTURE], usage: { ...PICTURED, candidatesTokensDetails: undefined } },
    cost: [
      [533, '0.000002'],
      [217, '0.000012'],
      [1120, '0.00012'],
    ],
    countedBy: 'estimate',
  },
  {
    name: 'one search of Gemini 2.5, however many queries it took',
    platform: 'vertex-gemini',
    priced: ['google/gemini-2.5-pro', 'google-vertex'],
    upstreamId: 'gemini-2.5-pro',
    plan: { candidate: searched('a', 'b', 'c'), usage: { promptTokenCount: 10 } },
    cost: [
      [10, '0.00000125'],
      [4, '0.00001'],
      [1, '0.035'],
    ],
  },
  {
    name: 'each query of Gemini 3',
    platform: 'vertex-gemini',
    priced: ['google/gemini-3-flash-preview', 'google-vertex'],
    upstreamId: 'gemini-3-flash-preview',
    plan: { candidate: searched('a', 'b', ''), usage: { promptTokenCount: 10 } },
    cost: [
      [10, '0.0000005'],
      [4, '0.000003'],
      [2, '0.014'],
    ],
  },
  {
    name: 'no search of Gemini where it has not searched',
    platform: 'vertex-gemini',
    priced: ['google/gemini-3-flash-preview', 'google-vertex'],
    upstreamId: 'gemini-3-flash-preview',
    plan: { usage: { promptTokenCount: 10 } },
    cost: [
      [10, '0.0000005'],
      [4, '0.000003'],
    ],
  },
  ...(
    [
      ['sonar', 'low', '0.005'],
      ['sonar', 'medium', '0.008'],
      ['sonar', 'high', '0.012'],
    ] as const
  ).map(
    ([model, size, fee]): Case => ({
      name: `the fee of ${model} for a context of size ${size}`,
      platform: 'openai',
      priced: [`perplexity/${model}`, 'perplexity'],
      upstreamId: model,
      plan: {
        usage: { prompt_tokens: 14, completion_tokens: 4, total_tokens: 18, search_context_size: size },
      },
      cost: [
        [18, '0.000001'],
        [1, fee],
      ],
    }),
  ),
  {
    name: 'the fee of sonar-pro where its usage does not speak of it',
    platform: 'openai',
    priced: ['perplexity/sonar-pro', 'perplexity'],
    upstreamId: 'sonar-pro',
    plan: { usage: { prompt_tokens: 14, completion_tokens: 4, total_tokens: 18 } },
    cost: [
      [14, '0.000003'],
      [4, '0.000015'],
      [1, '0.006'],
    ],
  },
  {
    name: 'queries, citations and reasoning of Perplexity’s research',
    platform: 'openai',
    priced: ['perplexity/sonar-deep-research', 'perplexity'],
    upstreamId: 'sonar-deep-research',
    plan: {
      usage: {
        prompt_tokens: 108,
        completion_tokens: 3256,
        total_tokens: 3364,
        citation_tokens: 7299,
        num_search_queries: 74,
        reasoning_tokens: 73248,
      },
    },
    cost: [
      [108 + 7299, '0.000002'],
      [3256, '0.000008'],
      [73248, '0.000003'],
      [74, '0.005'],
    ],
  },
  {
    name: 'searches of Grok as it counts them',
    platform: 'openai',
    priced: ['x-ai/grok-4.3', 'xai'],
    upstreamId: 'grok-4.3',
    plan: {
      usage: {
        prompt_tokens: 10,
        completion_tokens: 4,
        total_tokens: 14,
        server_side_tool_usage_details: { web_search_calls: 2, x_search_calls: 1 },
      },
    },
    cost: [
      [10, '0.00000125'],
      [4, '0.0000025'],
      [3, '0.005'],
    ],
  },
  {
    name: 'one search of a model of OpenAI that always searches',
    platform: 'openai',
    priced: { prompt: '0.0000025', completion: '0.00001', web_search: '0.025' },
    upstreamId: 'gpt-4o-search-preview',
    plan: { usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 } },
    cost: [
      [10, '0.0000025'],
      [4, '0.00001'],
      [1, '0.025'],
    ],
  },
];
