import type { Message } from '@bufbuild/protobuf';

const reused = new WeakSet<Message>();

/** Declares a reusable answer: it is given again and again, and never changed, so its bytes are worth caching. */
export function reusable<M extends Message>(message: M): M {
  reused.add(message);
  return message;
}

const passing = new WeakSet<Message>();

/**
 * Declares an answer of this moment only, of a method whose answers are otherwise revalidated: no ETag, `no-store`.
 */
export function ofNow<M extends Message>(message: M): M {
  passing.add(message);
  return message;
}

export function isOfNow(message: Message): boolean {
  return passing.has(message);
}

export function isReusable(message: Message): boolean {
  return reused.has(message);
}
