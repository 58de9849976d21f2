/** What OpenAI's SDK for TypeScript does with the Responses API, whichever version of it. */
import type OpenAI from 'openai';
import { IN_SCHEMA, RESULT, THINKING } from './places.js';

type Asked = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model' | 'stream'>;

/** An answer as far as tests read it. */
export interface Heard {
  readonly status: string | undefined;
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly (readonly [name: string, args: unknown])[];
}

/** A single pixel. */
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = `data:application/pdf;base64,${Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')}`;

const WEATHER: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
} as const;

const HELLO: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Hello there' }];

/** The SDK before one model of a gateway. */
export class SdkSession {
  readonly #client: OpenAI;
  readonly #model: string;

  constructor(client: OpenAI, model: string) {
    this.#client = client;
    this.#model = model;
  }

  whole(asked: Asked): Promise<OpenAI.Responses.Response> {
    return this.#client.responses.create({ ...asked, model: this.#model });
  }

  /** Put together of the stream by the SDK, after all of its events were taken. */
  async streamed(asked: Asked): Promise<OpenAI.Responses.Response> {
    const stream = this.#client.responses.stream({ ...asked, model: this.#model });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const response = await stream.finalResponse();
    if (text !== response.output_text)
      throw new Error(`${text} was streamed, ${response.output_text} put together`);
    return response;
  }

  /** In one piece, and streamed. */
  async both(asked: Asked): Promise<OpenAI.Responses.Response[]> {
    return [await this.whole(asked), await this.streamed(asked)];
  }

  hello(): Promise<OpenAI.Responses.Response[]> {
    return this.both({ input: 'Hello there', instructions: 'Be brief.' });
  }

  image(): Promise<OpenAI.Responses.Response[]> {
    return this.both({
      input: [
        {
          role: 'user',
          content: [text('What is it?'), { type: 'input_image', image_url: PNG, detail: 'auto' }],
        },
      ],
    });
  }

  file(): Promise<OpenAI.Responses.Response[]> {
    const file = { type: 'input_file', filename: 'a.pdf', file_data: PDF } as const;
    return this.both({ input: [{ role: 'user', content: [text('What is in it?'), file] }] });
  }

  /** Calls a tool, then brings its result; the answers of the second turn. */
  async tools(): Promise<{ readonly called: Heard[]; readonly answered: Heard[] }> {
    const called = await this.both({ input: HELLO, tools: [WEATHER] });
    const answered: OpenAI.Responses.Response[] = [];
    for (const { output } of called) {
      const results = output.flatMap((item): OpenAI.Responses.ResponseInputItem[] =>
        item.type === 'function_call'
          ? [{ type: 'function_call_output', call_id: item.call_id, output: RESULT }]
          : [],
      );
      answered.push(
        ...(await this.both({ input: [...HELLO, ...sentBack(output), ...results], tools: [WEATHER] })),
      );
    }
    return { called: called.map(heardIn), answered: answered.map(heardIn) };
  }

  /** An answer that is parsed by the schema. */
  async parsed(): Promise<unknown> {
    const { output_parsed } = await this.#client.responses.parse({
      model: this.#model,
      input: IN_SCHEMA,
      text: { format: { type: 'json_schema', name: 'answer', schema: { ...SCHEMA }, strict: true } },
    });
    return output_parsed;
  }

  /** Thinks, calls tools, and is sent its thoughts back: three turns. */
  async thinking(): Promise<Heard[]> {
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: THINKING }];
    const heard: Heard[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const asked: Asked = {
        input,
        tools: [WEATHER],
        store: false,
        reasoning: { effort: 'low', summary: 'auto' },
        include: ['reasoning.encrypted_content'],
      };
      const response = await (turn % 2 === 0 ? this.streamed(asked) : this.whole(asked));
      heard.push(heardIn(response));
      input.push(...sentBack(response.output));
      for (const item of response.output) {
        if (item.type === 'function_call')
          input.push({ type: 'function_call_output', call_id: item.call_id, output: RESULT });
      }
      if (response.output.every(({ type }) => type !== 'function_call'))
        input.push({ role: 'user', content: 'Go on' });
    }
    return heard;
  }
}

function text(words: string) {
  return { type: 'input_text', text: words } as const;
}

/** Clients send items back as they came. */
function sentBack(output: OpenAI.Responses.Response['output']): OpenAI.Responses.ResponseInputItem[] {
  return output as OpenAI.Responses.ResponseInputItem[];
}

export function heardIn({ status, model, output, output_text }: OpenAI.Responses.Response): Heard {
  return {
    status,
    model,
    text: output_text,
    reasoning: output
      .flatMap((item) => (item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])] : []))
      .map((part) => part.text)
      .join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call' ? [[item.name, JSON.parse(item.arguments)] as const] : [],
    ),
  };
}
