import type { MessagesBody } from './types.js';

/**
 * The request as an endpoint that speaks Messages gets it: without the gateway's own members (`provider`, `models`) and
 * marks. Where a turn with tools loses the thoughts that it began with, thinking with a budget is left out too, since
 * it is refused there. The same object where nothing has to be taken out.
 */
export declare function withoutOwn(body: MessagesBody): MessagesBody;
