/** Calls that wait for their results, by id. Ids are used again: by hosts that give none, and by clients that name them by their tools. */
import { textKey } from '../../../base/text.js';

export class OpenCalls<Call> {
  /** By id: of each message that has any, those without a result, the first of them last. */
  readonly #messages = new Map<string, Call[][]>();

  /** The calls of the next message, with their ids. */
  add(calls: readonly (readonly [id: string, call: Call])[]): void {
    const ofMessage = new Map<string, Call[]>();
    for (const [id, call] of calls.toReversed()) {
      const same = ofMessage.get(textKey(id));
      if (same === undefined) ofMessage.set(textKey(id), [call]);
      else same.push(call);
    }
    for (const [key, same] of ofMessage) {
      const before = this.#messages.get(key);
      if (before === undefined) this.#messages.set(key, [same]);
      else before.push(same);
    }
  }

  /** The call that a result of this id answers: the first one that waits in the latest message that has any. */
  take(id: string): Call | undefined {
    const messages = this.#messages.get(textKey(id));
    const calls = messages?.at(-1);
    const call = calls?.pop();
    if (calls?.length === 0) messages?.pop();
    return call;
  }
}
