import type { Violation } from '../../base/problem.js';
import type { NativeFormat } from '../../catalog/types.js';
import type { ChatBody } from '../chat/types.js';
import type { JsonObject } from '../json.js';

/** A request that is no chat, in the form in which it is sent. */
export interface UntranslatedRequest<F extends NativeFormat> {
  readonly format: F;
  /** Has the same texts and media, from which everything is estimated. It is never sent. */
  readonly chat: ChatBody;
  /** Without the gateway's own members. */
  readonly body: JsonObject;
  readonly nativeOnly: readonly Violation[];
  readonly omitted: readonly string[];
  /** Whether all of its names have to mean one model. */
  readonly wantsOneModel?: true;
}
