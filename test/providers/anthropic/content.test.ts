import { describe, expect, it } from 'vitest';
import type { ContentPart } from '../../../src/formats/chat/types.js';
import { UpstreamFailure } from '../../../src/inference/ports/failure.js';
import { contentBlocks } from '../../../src/providers/anthropic/chat/content.js';

const image = (url: unknown): ContentPart => ({ type: 'image_url', image_url: url });
const file = (more: object): ContentPart => ({ type: 'file', file: more });
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('content of users and tools', () => {
  it.each<[string, ContentPart, object]>([
    [
      'an image in a data URL',
      image({ url: 'data:image/PNG;base64,AAAA', detail: 'high' }),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ],
    [
      'an image somewhere else',
      image({ url: 'https://host/a.png' }),
      { type: 'image', source: { type: 'url', url: 'https://host/a.png' } },
    ],
    [
      'an image without more around it',
      image('https://host/a.png'),
      { type: 'image', source: { type: 'url', url: 'https://host/a.png' } },
    ],
    [
      'a PDF in a data URL',
      file({ filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' }),
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
        title: 'a.pdf',
      },
    ],
    [
      'a PDF that is nothing but its bytes',
      file({ file_data: 'JVBERi0=' }),
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
    ],
    [
      'a file somewhere else',
      file({ file_data: 'https://host/a.pdf' }),
      { type: 'document', source: { type: 'url', url: 'https://host/a.pdf' } },
    ],
    [
      'a text',
      file({ file_data: `data:text/markdown;charset=utf-8;base64,${base64('Grüezi 👋🏽')}` }),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Grüezi 👋🏽' } },
    ],
    [
      'a text with escapes',
      file({ file_data: 'data:,Gr%C3%BCezi' }),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Grüezi' } },
    ],
    [
      'JSON',
      file({ file_data: `data:application/json;base64,${base64('{}')}` }),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '{}' } },
    ],
    [
      'an image in a file',
      file({ filename: 'a.png', file_data: 'data:image/png;base64,AAAA' }),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ],
  ])('%s', (_, part, block) => {
    expect(contentBlocks([part])).toEqual([block]);
    const cache_control = { type: 'ephemeral' };
    expect(contentBlocks([{ ...part, cache_control }])).toEqual([{ ...block, cache_control }]);
  });

  it.each<[string, ContentPart]>([
    ['audio', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
    ['video', { type: 'video_url', video_url: { url: 'https://host/a.mp4' } }],
    ['an image of the local disk', image({ url: 'file:///etc/passwd' })],
    ['an image that is none', image({})],
    ['a file that is stored at the provider, perhaps by another', file({ file_id: 'file_1' })],
    ['a spreadsheet', file({ file_data: 'data:application/vnd.ms-excel;base64,AAAA' })],
    ['a broken escape', file({ file_data: 'data:text/plain,%E0%A4%A' })],
  ])('is refused when it is %s, before anything is sent', (_, part) => {
    const read = () => contentBlocks([part]);
    expect(read).toThrow(UpstreamFailure);
    expect(read).toThrow(/do not take/);
  });

  it('may be empty', () => {
    expect(contentBlocks(null)).toEqual([]);
    expect(contentBlocks('')).toEqual([]);
    expect(contentBlocks([])).toEqual([]);
  });
});
