import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { launchGateway, type TestGateway } from '../../support/gateway.js';
import { bodyOf, type Row, refusalOf, send } from '../../support/rest.js';

const CATALOG = {
  providers: [demoProvider('a')],
  models: [
    demoModel('openai/gpt', ['a'], {
      name: 'GPT',
      created: 9,
      description: 'For everything.',
      context_length: 400_000,
      architecture: {
        modality: 'text+image+file->text',
        input_modalities: ['text', 'image', 'file'],
        output_modalities: ['text'],
      },
      supported_parameters: ['tools', 'parallel_tool_calls', 'verbosity', 'reasoning'],
      reasoning: {
        mandatory: false,
        default_effort: 'medium',
        supported_efforts: ['max', 'xhigh', 'high', 'medium', 'low', 'none'],
      },
    }),
    demoModel('maker/any-effort', ['a'], {
      created: 8,
      reasoning: { mandatory: true, default_effort: 'max' },
    }),
    demoModel('maker/plain', ['a'], { created: 7, supported_parameters: ['tools'] }),
    demoModel('maker/pictures', ['a'], {
      created: 6,
      architecture: { modality: 'text->image', input_modalities: ['text'], output_modalities: ['image'] },
    }),
    demoModel('maker/words-and-pictures', ['a'], {
      created: 5,
      architecture: {
        modality: 'text->text+image',
        input_modalities: ['text'],
        output_modalities: ['text', 'image'],
      },
    }),
    demoModel('maker/texts', [{ provider: 'a', upstream_model_id: 'echo', formats: ['completions'] }], {
      created: 4,
    }),
    { id: '~openai/latest', name: 'GPT (latest)', alias_target: { slug: 'openai/gpt' } },
  ],
};

let gateway: TestGateway & { stop(): Promise<void> };
beforeAll(async () => {
  gateway = await launchGateway({ catalog: CATALOG });
});
afterAll(() => gateway.stop());

const list = (query = '?client_version=0.171.0', headers = {}) =>
  send(`${gateway.rest}/models${query}`, 'GET', { headers });

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];
/** What 0.145.0 knows besides, and 0.130.0 does not. */
const NEWER_EFFORTS = [...EFFORTS, 'max'];
const isOneOf = (words: readonly unknown[]) => (value: unknown) => words.includes(value);
const isText = (value: unknown) => typeof value === 'string';
const isFlag = (value: unknown) => typeof value === 'boolean';
const isCount = (value: unknown) => Number.isInteger(value);
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value);
const isLevel = (efforts: readonly string[]) => (value: unknown) => {
  const { effort, description } = value as Row;
  return isOneOf(efforts)(effort) && isText(description);
};

/**
 * What Codex demands of a model: what no version may miss, and the words that all versions know. From `ModelInfo` in
 * codex-rs/protocol/src/openai_models.rs (early 2026, without defaults), and by leaving out each member and trying each word with
 * 0.171.0 (2026-11-26): one model that is not so, and it takes none.
 */
const modelInfo = (efforts: readonly string[]): Readonly<Record<string, (value: unknown) => boolean>> => ({
  slug: isText,
  display_name: isText,
  description: orNull(isText),
  default_reasoning_level: orNull(isOneOf(efforts)),
  supported_reasoning_levels: (value) => Array.isArray(value) && value.every(isLevel(efforts)),
  shell_type: isOneOf(['default', 'local', 'unified_exec', 'disabled', 'shell_command']),
  visibility: isOneOf(['list', 'hide', 'none']),
  supported_in_api: isFlag,
  priority: isCount,
  upgrade: orNull(() => false),
  base_instructions: isText,
  supports_reasoning_summaries: isFlag,
  support_verbosity: isFlag,
  default_verbosity: orNull(isOneOf(['low', 'medium', 'high'])),
  apply_patch_tool_type: orNull(isOneOf(['freeform'])),
  truncation_policy: (value) => {
    const { mode, limit } = value as Row;
    return isOneOf(['bytes', 'tokens'])(mode) && isCount(limit);
  },
  supports_parallel_tool_calls: isFlag,
  experimental_supported_tools: (value) => Array.isArray(value) && value.every(isText),
  context_window: orNull(isCount),
  input_modalities: (value) => Array.isArray(value) && value.every(isOneOf(['text', 'image'])),
});

/** The members that Codex would refuse. */
const refusedBy = (model: Row, efforts: readonly string[] = NEWER_EFFORTS) =>
  Object.entries(modelInfo(efforts)).flatMap(([name, is]) =>
    name in model && is(model[name]) ? [] : [name],
  );

const modelsOf = (body: Row) => body.models as Row[];

async function modelNamed(slug: string): Promise<Row | undefined> {
  return modelsOf(bodyOf(await list())).find((model) => model.slug === slug);
}

describe('a list for Codex', () => {
  it('has every model that writes text in a conversation, in members that every version of Codex reads', async () => {
    const models = modelsOf(bodyOf(await list()));
    expect(models.map(({ slug, priority }) => [slug, priority])).toEqual([
      ['openai/gpt', 1],
      ['~openai/latest', 2],
      ['maker/any-effort', 3],
      ['maker/plain', 4],
      ['maker/words-and-pictures', 5],
    ]);
    expect(models.map((model) => refusedBy(model))).toEqual(models.map(() => []));
  });

  it('says of each what the catalogue knows', async () => {
    expect(await modelNamed('openai/gpt')).toMatchObject({
      display_name: 'GPT',
      description: 'For everything.',
      context_window: 400_000,
      default_reasoning_level: 'medium',
      supports_reasoning_summaries: true,
      support_verbosity: true,
      supports_parallel_tool_calls: true,
      apply_patch_tool_type: 'freeform',
      input_modalities: ['text', 'image'],
    });
    expect(await modelNamed('maker/plain')).toMatchObject({
      description: null,
      default_reasoning_level: null,
      supported_reasoning_levels: [],
      supports_reasoning_summaries: false,
      support_verbosity: false,
      supports_parallel_tool_calls: false,
      apply_patch_tool_type: null,
      input_modalities: ['text'],
    });
  });

  it.each([
    ['openai/gpt', ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
    ['maker/any-effort', ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']],
  ])('lets choose from the efforts of %s, the lowest first', async (slug, efforts) => {
    const { supported_reasoning_levels: levels, default_reasoning_level: usual } =
      (await modelNamed(slug)) ?? {};
    expect((levels as Row[]).map(({ effort }) => effort)).toEqual(efforts);
    expect(efforts).toContain(usual);
  });

  it.each(['0.144.6', '0.130.0', '0', 'x', '0.x', '-1.200'])(
    'has no effort that version %s does not know',
    async (version) => {
      const models = modelsOf(bodyOf(await list(`?client_version=${version}`)));
      expect(models.map((model) => refusedBy(model, EFFORTS))).toEqual(models.map(() => []));
    },
  );

  it.each(['0.145.0', '0.171.0-alpha.1', '1.0.0'])('has all that version %s knows', async (version) => {
    const models = modelsOf(bodyOf(await list(`?client_version=${version}`)));
    expect(JSON.stringify(models[0]?.supported_reasoning_levels)).toContain('"max"');
  });

  it('instructs each in words of the gateway', async () => {
    const instructions = new Set(
      modelsOf(bodyOf(await list())).map(({ base_instructions }) => base_instructions),
    );
    expect(instructions.size).toBe(1);
    expect([...instructions][0]).toMatch(/^You are a coding agent\./);
  });

  it('stands beside what others read', async () => {
    const { models, ...others } = bodyOf(await list());
    expect(models).toBeDefined();
    expect(others).toEqual(bodyOf(await list('')));
    expect(bodyOf(await list('', {}))).not.toHaveProperty('models');
    expect(bodyOf(await list('?client_version='))).not.toHaveProperty('models');
    const anthropic = bodyOf(await list('?client_version=1', { 'anthropic-version': '2023-06-01' }));
    expect([anthropic.has_more, modelsOf(anthropic).length]).toEqual([false, 5]);
  });

  it('is not modified for who has it, and never mistaken for the usual one', async () => {
    const { headers } = await list();
    const etag = String(headers.etag);
    expect((await list(undefined, { 'if-none-match': etag })).status).toBe(304);
    expect((await list('?client_version=0.150.0', { 'if-none-match': etag })).status).toBe(304);
    expect((await list('', { 'if-none-match': etag })).status).toBe(200);
  });

  it('is of the page, and of what is available where that is asked', async () => {
    expect(modelsOf(bodyOf(await list('?client_version=1&limit=2'))).map(({ slug }) => slug)).toEqual([
      'openai/gpt',
      '~openai/latest',
    ]);
    const answer = await list('?client_version=1&available=true', {
      authorization: `Bearer ${gateway.apiKey}`,
    });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(answer.headers).not.toHaveProperty('etag');
    expect(modelsOf(bodyOf(answer))).toHaveLength(5);
  });

  it('has no member where there is no model, but the list', async () => {
    const answer = await list('?client_version=1&offset=100');
    expect(bodyOf(answer)).toMatchObject({ data: [], models: [] });
  });

  it('refuses a version that is none', async () => {
    expect(refusalOf(await list(`?client_version=${'9'.repeat(65)}`))).toEqual([
      400,
      'invalid_request',
      'client_version length',
    ]);
  });
});
