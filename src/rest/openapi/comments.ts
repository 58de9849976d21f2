import type { DescEnum, DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf';
import { comments } from '../../../gen/comments.js';

/** The element's comment in the proto file, as Markdown; empty when it has none. */
export function commentOf(desc: DescService | DescMethod | DescMessage | DescField | DescEnum): string {
  return comments[fullName(desc)] ?? '';
}

/** The comment's first sentence, without its full stop. */
export function summaryOf(comment: string): string {
  return (/^.*?[.](?=\s|$)/s.exec(comment)?.[0] ?? comment).replace(/[.]$/, '');
}

/** A `description` member; none for an empty text. */
export function described(text: string): { description?: string } {
  return text === '' ? {} : { description: text };
}

function fullName(desc: DescService | DescMethod | DescMessage | DescField | DescEnum): string {
  switch (desc.kind) {
    case 'field':
    case 'rpc':
      return `${desc.parent.typeName}.${desc.name}`;
    default:
      return desc.typeName;
  }
}
