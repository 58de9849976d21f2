import type { MessagesContract } from '../../../catalog/messages-contract.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { betasIn } from '../../../formats/messages/headers.js';
import type { CallCommons, UpstreamCall } from '../../../inference/ports/adapter.js';
import { fitMessages, fitTranslated } from '../../fit-messages/fit-messages.js';
import { fitMedia } from '../../fit-messages/media.js';
import type { MessagesCall } from '../../fit-messages/step.js';
import type { Fitted } from '../../http/codec.js';
import type { InlineMedia } from '../../http/inline-media.js';

/** A native request as its host takes it. `betas` are those that the host is asked for, unless they are the client's. */
export function fitNative<Credential>(
  call: UpstreamCall<Credential, 'messages'>,
  contract: MessagesContract,
  betas: readonly string[] = betasIn(call.apiHeaders),
): Fitted<Credential, 'messages'> {
  const { body, provider, onAdapted } = call;
  const { call: fitted, names } = fitMessages(
    { body, betas, provider, areMediaFetched: true, ...(onAdapted && { onAdapted }) },
    contract,
  );
  return { call: fitted.body === body ? call : { ...call, body: fitted.body }, names };
}

/** The fitted request with the media inline that the host would have to fetch, each called what it is. */
export async function withFetchedMedia<Credential>(
  call: UpstreamCall<Credential, 'messages'>,
  contract: MessagesContract,
  inlineMedia: InlineMedia,
): Promise<UpstreamCall<Credential, 'messages'>> {
  if (contract.addresses) return call;
  const body = await inlineMedia(call.body, call);
  if (body === call.body) return call;
  return { ...call, body: fitMedia({ body, betas: [], provider: call.provider }, contract).body };
}

/** The request that was made of a chat, as its host takes it. What is changed is told by its name in the chat. */
export function fitMade(
  body: JsonObject,
  { provider, onAdapted }: Pick<MessagesCall, 'provider' | 'onAdapted'>,
  contract: MessagesContract,
  betas: readonly string[],
): JsonObject {
  const told: CallCommons['onAdapted'] = onAdapted && ((name, how) => onAdapted(inChat(name), how));
  return fitTranslated({ body, betas, provider, ...(told && { onAdapted: told }) }, contract).body;
}

const IN_CHAT: Readonly<Record<string, string>> = {
  stop_sequences: 'stop',
  thinking: 'reasoning',
  'output_config.effort': 'reasoning',
};

function inChat(name: string): string {
  const tool = /^(tools\[\d+\])\.(.+)$/.exec(name);
  if (tool === null) return IN_CHAT[name] ?? name;
  const [, at, member = ''] = tool;
  return `${at}.function.${member === 'input_schema' ? 'parameters' : member}`;
}
