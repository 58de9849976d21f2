import type { Message } from '@bufbuild/protobuf';

const messages = new WeakSet<Message>();

/** Marks an answer that is given again and again, and never changed: its bytes are worth keeping. */
export function kept<M extends Message>(message: M): M {
  messages.add(message);
  return message;
}

const passing = new WeakSet<Message>();

/**
 * Marks an answer that holds for this moment only, of a method whose answers are otherwise revalidated: no ETag,
 * `no-store`.
 */
export function ofNow<M extends Message>(message: M): M {
  passing.add(message);
  return message;
}

export function isOfNow(message: Message): boolean {
  return passing.has(message);
}

export function isKept(message: Message): boolean {
  return messages.has(message);
}
