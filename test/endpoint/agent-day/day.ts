/** A day of a coding agent: what it is asked, what the model answers, and what goes wrong on the way. */

/** What goes wrong before a turn is answered. */
export type Trouble = 'rate limit' | 'cut' | 'cancel' | 'overflow';

/** A call of a tool. */
export interface ToolCall {
  readonly name: string;
  readonly input: object;
}

/** One request of the agent and the model's answer to it. */
export interface Turn {
  /** What the user says; without it the turn follows the results of tools. */
  readonly asked?: string | readonly object[];
  /** Whether the answer is JSON by `REPORT`. */
  readonly isReport?: boolean;
  readonly thoughts?: string;
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  readonly trouble?: Trouble;
}

/** What the provider counts of a turn. */
export interface TurnUsage {
  readonly prompt: number;
  /** Of the prompt: read from the cache, and written to it. */
  readonly cached: number;
  readonly written: number;
  readonly completion: number;
  /** Of the completion. */
  readonly reasoning: number;
}

export const SYSTEM = 'You are a careful engineer. Ændringer først når du har læst alt 🔍.';

export const IMAGE_BASE64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';
export const PDF_BASE64 = 'JVBERi0xLjQKMSAwIG9iago8PC9UeXBlL0NhdGFsb2c+PgplbmRvYmoK';

const IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE_BASE64}` } };
const PDF = {
  type: 'file',
  file: { filename: 'contract.pdf', file_data: `data:application/pdf;base64,${PDF_BASE64}` },
};

const object = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const string = { type: 'string' };

export const TOOLS = [
  { name: 'read', description: 'Reads a file', parameters: object({ path: string }) },
  { name: 'search', description: 'Searches all files', parameters: object({ text: string }) },
  { name: 'edit', description: 'Replaces a text', parameters: object({ path: string, to: string }) },
  { name: 'run', description: 'Runs a command', parameters: object({ command: string }) },
].map((definition) => ({ type: 'function', function: definition }));

export const REPORT = {
  type: 'json_schema',
  json_schema: {
    name: 'report',
    strict: true,
    schema: object({ fixed: { type: 'integer' }, open: { type: 'array', items: string } }),
  },
};

const read = (path: string): ToolCall => ({ name: 'read', input: { path } });
const search = (text: string): ToolCall => ({ name: 'search', input: { text } });
const edit = (path: string, to: string): ToolCall => ({ name: 'edit', input: { path, to } });
const run = (command: string): ToolCall => ({ name: 'run', input: { command } });

/** What a tool answers. */
export function resultOf({ name, input }: ToolCall): string {
  return `${name} ${JSON.stringify(input)}: ${'one line of it\n'.repeat(3)}`;
}

/** A task takes five turns: looking, changing, checking, telling and reporting. */
function task(
  name: string,
  asked: Turn['asked'],
  trouble: Partial<Record<'looking' | 'changing' | 'checking' | 'telling' | 'reporting', Trouble>> = {},
): Turn[] {
  const source = `src/${name}.ts`;
  const turns = {
    looking: {
      asked: asked ?? `Please mend ${name}.`,
      thoughts: `What does ${name} do? I look at its source, its tests and who calls it.`,
      calls: [read(source), read(`test/${name}.test.ts`), search(`from './${name}.js'`)],
    },
    changing: {
      thoughts: `The rounding of ${name} is wrong: it is done twice. «Einmal genügt.»`,
      text: `I see: ${name} rounds twice, once for each line and once for the sum. I change that, and its test too.`,
      calls: [edit(source, `"sum"\n\t// ${name} 🧮`), edit(`test/${name}.test.ts`, 'it("rounds once")')],
    },
    checking: { calls: [run(`npm test -- ${name}`)] },
    telling: {
      thoughts: 'All is green, so I can say so.',
      text: `Done: ${name} rounds once now. ${'It was tested with sums of every kind, and with none. '.repeat(6)}`,
    },
    reporting: {
      asked: 'Report it, please.',
      isReport: true,
      thoughts: 'As JSON.',
      text: `{"fixed": 1, "open": ["docs of ${name}", "größere Summen"]}`,
    },
  };
  return Object.entries(turns).map(([step, turn]): Turn => {
    const before = trouble[step as keyof typeof trouble];
    return before === undefined ? turn : { ...turn, trouble: before };
  });
}

const seen = (text: string, ...parts: readonly object[]) => [{ type: 'text', text }, ...parts];

/** Forty turns. */
export const DAY: readonly Turn[] = [
  ...task('cart', undefined),
  ...task('tax', seen('This is the invoice. See the last line.', IMAGE), { looking: 'rate limit' }),
  ...task('bank', seen('The fees are in the contract.', PDF), { changing: 'cut' }),
  ...task('login', undefined, { telling: 'cancel' }),
  ...task('mail', seen('Compare the two with the contract.', IMAGE, PDF, IMAGE), { checking: 'rate limit' }),
  ...task('search', undefined, { looking: 'overflow' }),
  ...task('export', seen('It looks like this since today.', IMAGE), { telling: 'cut' }),
  ...task('import', undefined, { looking: 'cancel', reporting: 'cut' }),
];

/** What the provider counts: of a growing conversation, whose beginning it has in its cache. */
export function usageOf(turn: Turn, turnsBefore: number): TurnUsage {
  const promptOf = (turns: number) => 1800 + 350 * turns;
  const prompt = promptOf(turnsBefore);
  const cached = turnsBefore === 0 ? 0 : promptOf(turnsBefore - 1) - 7;
  const reasoning = turn.thoughts === undefined ? 0 : 31 + turnsBefore;
  return {
    prompt,
    cached,
    written: prompt - cached - 11,
    completion: 57 + turnsBefore + reasoning,
    reasoning,
  };
}

/** What the user says after a model without tools has said what it would call. */
const GO_ON = 'Go on.';

/** The turn at a host whose models have no tools. */
export function withoutTools({ calls = [], ...turn }: Turn): Turn {
  const wanted = calls.map(({ name }) => `I would call ${name}.`);
  const text = [turn.text ?? [], wanted].flat().join(' ');
  return { ...turn, asked: turn.asked ?? GO_ON, text };
}

const PART_TYPES = { images: 'image_url', files: 'file' } as const;

/** What is asked, without the parts that the host lacks; undefined where it lacks none of them. */
export function withoutMedia({ asked }: Turn, lacks: readonly string[]): readonly object[] | undefined {
  if (!Array.isArray(asked)) return undefined;
  const types = Object.entries(PART_TYPES).flatMap(([media, type]) => (lacks.includes(media) ? [type] : []));
  const left = (asked as readonly { readonly type: string }[]).filter(
    ({ type }) => !types.includes(type as 'file'),
  );
  return left.length === asked.length ? undefined : left;
}
