import type { DescMethodUnary, Message } from '@bufbuild/protobuf';
import { isOfNow, isReusable } from '../../../protobuf/answer-caching.js';
import { ruleOf } from '../../../protobuf/method-rule.js';
import type { AnswerCache, Renderer } from '../../../rest/answer-cache.js';
import type { Rendered } from '../../../rest/rendered.js';
import { type Encoded, type Encodings, encoded } from '../wire/compression.js';
import type { MessageFormat } from '../wire/protocol.js';
import { connect } from './connect.js';
import type { UnaryRoutesOptions } from './options.js';
import { writeAnswer } from './read-message.js';

/** Serialises the answers of one method. */
export interface AnswerWriter {
  /** The bytes to send. */
  write(message: Message, format: MessageFormat, encodings: Encodings): Encoded | Promise<Encoded>;
  /** Undefined for methods whose answers are not sent again. */
  readonly render: ((message: Message, format: MessageFormat) => Rendered) | undefined;
}

/** A writer that keeps the bytes of answers that are given again. */
export function answerWriter(
  method: DescMethodUnary,
  { answers, registry }: Pick<UnaryRoutesOptions, 'answers' | 'registry'>,
): AnswerWriter {
  const write = (message: Message, format: MessageFormat) => writeAnswer(method, message, format, registry);
  if (answers === undefined) {
    return {
      write: (message, format, encodings) => encoded(write(message, format), encodings),
      render: undefined,
    };
  }
  const render = renderer(answers, write);
  const { revalidates } = ruleOf(method);
  return {
    write(message, format, encodings) {
      if (isOfNow(message) || (!revalidates && !isReusable(message)))
        return encoded(write(message, format), encodings);
      const rendered = render(message, format);
      if (encodings.answer?.name !== 'gzip' || !rendered.isWorthGzip) {
        return encoded(rendered.bytes, encodings);
      }
      return rendered.gzipped().then((bytes) => ({ bytes, encoding: 'gzip' }));
    },
    render: revalidates ? render : undefined,
  };
}

function renderer(answers: AnswerCache, write: (message: Message, format: MessageFormat) => Uint8Array) {
  const of = (format: MessageFormat): Renderer => ({
    contentType: connect.contentTypes[format],
    serialize: (message) => write(message, format),
  });
  const renderers = { json: of('json'), protobuf: of('protobuf') };
  return (message: Message, format: MessageFormat) => answers.rendered(message, renderers[format]);
}
