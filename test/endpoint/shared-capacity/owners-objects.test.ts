import { describe, expect, it } from 'vitest';
import { PLATFORMS } from '../../support/platforms.js';
import { bodyOf, type Row } from '../../support/rest.js';
import { ask, CLAUDES, expectRefused, onBothCapacities } from './shared.fixture.js';

const { shared, own } = onBothCapacities();

function media(type: string, value: unknown): object {
  return {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type, [type]: value },
        ],
      },
    ],
  };
}

const FILE = 'gs://operators-bucket/private.pdf';

const FUNCTION = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };

/** Members of chats that name what belongs to the owner of the credential, with the place that the refusal names. */
const CHATS: readonly (readonly [place: string, more: object])[] = [
  ['messages[0].content[1].image_url.url', media('image_url', { url: 'gs://operators-bucket/a.png' })],
  ['messages[0].content[1].image_url', media('image_url', 'gs://operators-bucket/a.png')],
  ['messages[0].content[1].image_url.url', media('image_url', { url: 'GS://operators-bucket/a.png' })],
  ['messages[0].content[1].image_url.url', media('image_url', { url: ' \tgs://operators-bucket/a.png' })],
  ['messages[0].content[1].image_url.url', media('image_url', { url: 's3://operators-bucket/a.png' })],
  ['messages[0].content[1].image_url.url', media('image_url', { url: 'azureml://datastores/a.png' })],
  ['messages[0].content[1].video_url.url', media('video_url', { url: 'gs://operators-bucket/a.mp4' })],
  ['messages[0].content[1].file.file_data', media('file', { file_data: FILE })],
  ['messages[0].content[1].input_audio.data', media('input_audio', { data: FILE, format: 'wav' })],
  ['messages[0].content[1].file.file_id', media('file', { file_id: 'file-1' })],
  ['messages[0].content[1].file.file_uri', media('file', { file_uri: FILE })],
  [
    'messages[0].content[1].image_url.url',
    media('image_url', { url: 'https://generativelanguage.googleapis.com/v1beta/files/abc' }),
  ],
  [
    'messages[0].content[1].image_url.url',
    media('image_url', { url: 'https://storage.cloud.google.com/operators-bucket/a.png' }),
  ],
  [
    'messages[0].content[1].image_url.url',
    media('image_url', { url: 'https://generativelanguage.googleapis.com./v1beta/files/abc' }),
  ],
  [
    'messages[0].content[1].image_url.url',
    media('image_url', { url: 'https://generativelanguage.googleapis.com/v1beta/%66ile%73/abc' }),
  ],
  ['messages[0].content[1].audio_url.url', media('audio_url', { url: 'gs://operators-bucket/a.mp3' })],
  ['messages[0].content[1].document_url', media('document_url', 'gs://operators-bucket/a.pdf')],
  [
    'messages[0].content[1].image_url.url.file_id',
    media('image_url', { url: { file_id: 'file-of-the-operator' } }),
  ],
  ['messages[0].content[1].file.file_data.file_id', media('file', { file_data: { file_id: 'file-1' } })],
  [
    'messages[0].content',
    { messages: [{ role: 'system', content: 'fileid://file-fe-1,fileid://file-fe-2' }] },
  ],
  [
    'messages[0].content[0].text',
    { messages: [{ role: 'system', content: [{ type: 'text', text: ' FileID://file-fe-1' }] }] },
  ],
  [
    'messages[0].content[0].source',
    {
      messages: [
        { role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }] },
      ],
    },
  ],
  ['messages[0].audio', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }],
  ['messages[0].qx.file_id', { messages: [{ role: 'user', content: 'Hi', qx: { file_id: 'file-1' } }] }],
  [
    'tools[0].retrieval',
    { tools: [{ type: 'retrieval', retrieval: { vertexAiSearch: { datastore: 'd' } } }] },
  ],
  ['tools[0].retrieval', { tools: [{ ...FUNCTION, retrieval: { vertexRagStore: { ragCorpora: ['c'] } } }] }],
  ['cached_content', { cached_content: 'cachedContents/1' }],
  ['cachedContent', { cachedContent: 'cachedContents/1' }],
  ['extra_body.google.cached_content', { extra_body: { google: { cached_content: 'cachedContents/1' } } }],
  ['labels', { labels: { team: 'a' } }],
  ['guardrailConfig', { guardrailConfig: { guardrailIdentifier: 'g', guardrailVersion: '1' } }],
  ['requestMetadata', { requestMetadata: { a: 'b' } }],
  ['promptVariables', { promptVariables: { a: { text: 'b' } } }],
  ['qx[0].s3Location', { qx: [{ s3Location: { uri: 's3://operators-bucket/a' } }] }],
  ['qx.deep[0]', { qx: { deep: ['s3://operators-bucket/a'] } }],
  ['container', { container: 'container_1' }],
  ['previous_response_id', { previous_response_id: 'resp_1' }],
  ['prompt', { prompt: { id: 'pmpt_1' } }],
  ['conversation', { conversation: 'conv_1' }],
  ['data_sources', { data_sources: [{ type: 'azure_search', parameters: { index_name: 'private' } }] }],
  ['tools[0].vector_store_ids', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
  ['thread', { thread: { id: 'thread_1' } }],
];

describe.each(PLATFORMS)('over shared capacity of $slug a chat', (platform) => {
  it.each(CHATS)('that names at %s what belongs to the operator is refused: %j', async (place, more) => {
    expectRefused(await ask(shared(), platform, '/chat/completions', more), place);
  });

  it('may have the same words where the model alone reads them', async () => {
    const { answer } = await ask(shared(), platform, '/chat/completions', {
      messages: [{ role: 'user', content: `What is ${FILE}?` }],
      metadata: { container: 'a', thread: 'b' },
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            parameters: { type: 'object', properties: { file_id: { type: 'string' } } },
          },
        },
      ],
    });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  });
});

/** The same of requests in the Messages format. */
const MESSAGES: readonly (readonly [place: string, more: object])[] = [
  ['messages[0].content[0]', blocks({ type: 'document', source: { type: 'file', file_id: 'file_1' } })],
  ['messages[0].content[0]', blocks({ type: 'image', source: { type: 'file', file_id: 'file_1' } })],
  ['messages[0].content[0]', blocks({ type: 'container_upload', file_id: 'file_1' })],
  [
    'messages[0].content[0].source.url',
    blocks({ type: 'image', source: { type: 'url', url: 'gs://b/a.png' } }),
  ],
  ['messages[1].content[1].content.content.source', fetched({ type: 'file', file_id: 'file_1' })],
  ['messages[1].content[1].content.content.source.url', fetched({ type: 'url', url: 'gs://b/a.pdf' })],
  ['container', { container: 'container_1' }],
  ['container', { container: { skills: [{ type: 'custom', skill_id: 'skill_1', version: 'latest' }] } }],
  ['workspace_id', { workspace_id: 'wrkspc_1' }],
  ['user_profile_id', { user_profile_id: 'u_1' }],
];

/** A conversation in which the host is said to have fetched a document. */
function fetched(source: object): object {
  const use = {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_fetch',
    input: { url: 'https://a.example' },
  };
  const content = {
    type: 'web_fetch_result',
    url: 'https://a.example',
    content: { type: 'document', source },
  };
  const result = { type: 'web_fetch_tool_result', tool_use_id: 'srvtoolu_1', content };
  return {
    messages: [
      { role: 'user', content: 'Read it' },
      { role: 'assistant', content: [use, result] },
      { role: 'user', content: 'And?' },
    ],
  };
}

function blocks(...content: object[]): object {
  return { messages: [{ role: 'user', content }] };
}

describe.each(CLAUDES)('over shared capacity of $slug a request to Messages', (platform) => {
  it.each(MESSAGES)('that names at %s what belongs to the operator is refused: %j', async (place, more) => {
    expectRefused(await ask(shared(), platform, '/messages', more), place);
  });

  it('may go on after the host has fetched a document', async () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'Text' };
    const { sent } = await ask(shared(), platform, '/messages', fetched(source));
    expect(sent).toMatchObject(fetched(source));
  });

  it('may have tools whose inputs are called so', async () => {
    const { answer } = await ask(shared(), platform, '/messages', {
      messages: [
        { role: 'user', content: 'Read it' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: { file_id: 'x' } }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: FILE }] }],
        },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object', properties: { container: {} } } }],
    });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  });
});

it('with a key of the account they pass', async () => {
  const gemini = PLATFORMS.find(({ slug }) => slug === 'vertex-gemini');
  const claude = PLATFORMS.find(({ slug }) => slug === 'anthropic');
  if (gemini === undefined || claude === undefined) throw new Error('there is no such platform');
  const more = {
    ...media('image_url', { url: 'gs://own-bucket/a.png' }),
    labels: { team: 'a' },
    cachedContent: 'c',
  };
  const { answer, sent } = await ask(own(), gemini, '/chat/completions', more);
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  expect(sent).toMatchObject({ labels: { team: 'a' }, cachedContent: 'c' });
  expect(JSON.stringify(sent)).toContain('gs://own-bucket/a.png');
  expect((await ask(own(), claude, '/messages', { container: 'container_1' })).sent).toMatchObject({
    container: 'container_1',
  });
});

it('explain excludes the same endpoints, and says why', async () => {
  const model = 'vertex-gemini/m';
  const explained = bodyOf(await shared().use('POST', '/routing/explain', { model, cached_content: 'c/1' }));
  const { attempts, excluded } = explained.data as { attempts: Row[]; excluded: Row[] };
  expect(attempts).toEqual([]);
  expect(excluded).toMatchObject([
    {
      provider: 'vertex-gemini',
      reason: 'unsupported_parameter',
      detail: expect.stringContaining('cached_content'),
    },
  ]);
  const messages = { model: 'anthropic/m', format: 'messages', container: 'container_1' };
  const second = bodyOf(await shared().use('POST', '/routing/explain', messages)).data as { excluded: Row[] };
  expect(second.excluded).toMatchObject([
    { reason: 'unsupported_parameter', detail: expect.stringContaining('container') },
  ]);
});
