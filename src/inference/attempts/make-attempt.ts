/**
 * Makes one attempt: opens its credential, and sends the parts of the request that the endpoint takes and the
 * credential's owner pays for.
 */
import type { HostHeaders } from '../../byok/keys/host-headers.js';
import { formatAt } from '../../catalog/formats.js';
import type { AdapterName, Format, Provider } from '../../catalog/types.js';
import type { ApiHeaders } from '../../formats/api-headers.js';
import type { ChatBody } from '../../formats/chat/types.js';
import { chatInHostWords, withoutAuto } from '../../formats/modes/request-modes.js';
import { withoutSessionId, withSession } from '../../formats/session/hint.js';
import type { Attempt } from '../../routing/types.js';
import type { CallCommons, ChatForm, UpstreamAdapter, UpstreamCall } from '../ports/adapter.js';
import { isDatabaseAway, UpstreamFailure } from '../ports/failure.js';
import type { NativeRequest, SentRequest } from '../ports/inference-request.js';
import { maxAnswerTokens } from '../ports/usage.js';
import { type Reasoning, reasoningOf, requestedReasoning } from '../reasoning/reasoning.js';
import type { AdaptedMembers } from './adapted-members.js';
import { withinLimitOf } from './answer-limit.js';
import type { AttemptMode } from './attempt-mode.js';
import type { Deadlines } from './deadlines.js';
import { pathsOfClient, pricedCall } from './shared-capacity.js';

export interface AttemptDependencies {
  readonly adapters: ReadonlyMap<AdapterName, UpstreamAdapter>;
  /** The credential of the attempt in its adapter's form. If it rejects, the attempt fails. */
  openCredential(attempt: Attempt): Promise<unknown>;
  /** Headers that the operator adds to every call of the provider's host. If it rejects, the attempt fails. */
  openHeaders?(provider: Provider): Promise<HostHeaders | undefined>;
}

/** Calls the provider and reads up to the first content. Rejects if there is none. */
export type Exchange<T> = (adapter: UpstreamAdapter, call: UpstreamCall, attempt: Attempt) => Promise<T>;

interface AttemptSetup {
  readonly dependencies: AttemptDependencies;
  readonly accountId: string;
  readonly deadlines: Deadlines;
  /** Whether an attempt goes on when the client leaves; none does if this is missing. */
  readonly outlivesClient?: (attempt: Attempt) => boolean;
  readonly sent: SentRequest;
  readonly apiHeaders?: ApiHeaders | undefined;
  /** The client's name for the conversation; none if this is missing. */
  readonly session?: string | null;
  /** Collects what each attempt sends differently than the client did. */
  readonly adapted?: ReadonlyMap<Attempt, AdaptedMembers>;
  /** Collects what each attempt asks for, and what headers of its answer say of it. */
  readonly modes?: ReadonlyMap<Attempt, AttemptMode>;
}

/** An attempt to make. */
export interface DueAttempt {
  readonly attempt: Attempt;
  /** Whether it waits if the account may have no connection now. False if other attempts are left. */
  readonly mayWait: boolean;
}

/** Makes one attempt. May reject with anything, of which `failureOf` makes an `UpstreamFailure`. */
export async function makeAttempt<T>(
  setup: AttemptSetup,
  { attempt, mayWait }: DueAttempt,
  exchange: Exchange<T>,
): Promise<T> {
  const { dependencies, accountId, deadlines, sent, apiHeaders, session = null } = setup;
  const { endpoint, provider, region, key } = attempt;
  const signal = deadlines.begin(setup.outlivesClient?.(attempt));
  const credential = await dependencies.openCredential(attempt).catch(throwCredentialFailure);
  const hostHeaders =
    provider.headers && (await dependencies.openHeaders?.(provider).catch(throwCredentialFailure));
  signal.throwIfAborted();
  const adapter = dependencies.adapters.get(provider.adapter);
  if (adapter === undefined) throw missingAdapter(provider);
  const adapted = setup.adapted?.get(attempt);
  const mode = setup.modes?.get(attempt);
  const commons: CallCommons = {
    tenancy: { accountId, isByok: key !== null, mayWait },
    endpoint,
    provider,
    region,
    credential,
    ...(hostHeaders !== undefined && { hostHeaders }),
    ...(apiHeaders !== undefined && { apiHeaders }),
    ...(adapted !== undefined && { onAdapted: (name, how) => adapted.add(name, how) }),
    signal,
    onSent: () => deadlines.sent(),
    onFirstByte: () => {
      if (!signal.aborted) deadlines.firstByte();
    },
    onWhole: () => deadlines.inOnePiece(),
    onBytes: () => deadlines.bytes(),
    ...(mode !== undefined && { onMode: (given) => mode.give(given) }),
  };
  const call: UpstreamCall =
    sent.format === 'chat' || sentFormat(attempt, sent) !== sent.format
      ? Object.assign(commons, chatOf(sent, attempt, adapted))
      : Object.assign(commons, nativeOf(sent, adapted));
  const isByok = key !== null;
  const asked = withoutSessionId(call, isByok);
  const allowed = isByok ? asked : withPriceAlone(atBase(asked), sent, adapted);
  const hinted = withSession(allowed, { accountId, isByok, session }, (name) =>
    adapted?.add(name, 'changed'),
  );
  return exchange(adapter, hinted, attempt);
}

/** The request as it came. */
function nativeOf(
  { format, body, leftOut = [] }: NativeRequest,
  adapted: AdaptedMembers | undefined,
): Pick<NativeRequest, 'format' | 'body'> {
  for (const path of leftOut) adapted?.add(path, 'left_out');
  return { format, body };
}

/** The request as a chat that the endpoint accepts. */
function chatOf(
  sent: SentRequest,
  attempt: Attempt,
  adapted: AdaptedMembers | undefined,
): { readonly format: 'chat' } & ChatForm {
  const { endpoint } = attempt;
  const chat = sent.format === 'chat' ? sent.chat : withinLimitOf(sent.chat, endpoint);
  const wanted = reasoningOf(chat, attempt, maxAnswerTokens(chat, endpoint));
  // Clients of other formats ask every model to reason, whatever it is.
  const reasoning = sent.format !== 'chat' && wanted?.isUnrecorded ? null : wanted;
  const inWords = chatInHostWords(chat, endpoint, attempt.provider);
  if (adapted !== undefined) {
    if (sent.format !== 'chat') for (const name of sent.omitted) adapted.add(name, 'left_out');
    if (chat.max_tokens !== sent.chat.max_tokens) adapted.add('max_tokens', 'changed');
    for (const path of pathsOfClient(inWords.leftOut, sent)) adapted.add(path, 'left_out');
    reportReasoning(chat, reasoning, adapted);
  }
  return { format: 'chat', body: { ...inWords.chat, model: endpoint.upstreamModelId }, reasoning };
}

/** The call, where `auto` would leave the mode to the operator's account, with the word for the base. */
function atBase(call: UpstreamCall): UpstreamCall {
  const { format, body, endpoint, provider } = call;
  const said = withoutAuto<typeof body>(format, body, endpoint, provider);
  return said === body ? call : Object.assign({}, call, { body: said });
}

/** The call without anything that has no price over shared capacity. */
function withPriceAlone(
  call: UpstreamCall,
  sent: SentRequest,
  adapted: AdaptedMembers | undefined,
): UpstreamCall {
  const { call: priced, leftOut } = pricedCall(call);
  const paths = call.format === sent.format ? leftOut : pathsOfClient(leftOut, sent);
  for (const path of paths) adapted?.add(path, 'left_out');
  return priced;
}

/** Reports reasoning that the model does differently than requested, or not at all. */
function reportReasoning(chat: ChatBody, reasoning: Reasoning | null, adapted: AdaptedMembers): void {
  if (chat.reasoning === undefined && chat.reasoning_effort === undefined) return;
  const { isEnabled, effort, maxTokens, field } = requestedReasoning(chat);
  if (isEnabled !== true) return;
  const isOtherEffort = effort !== null && reasoning?.effort !== null && reasoning?.effort !== effort;
  const isOtherLimit = maxTokens !== null && reasoning?.maxTokens !== maxTokens;
  if (reasoning === null) adapted.add(field, 'left_out');
  else if (isOtherEffort || isOtherLimit) adapted.add(field, 'changed');
}

/** The format in which the attempt sends the request. */
export function sentFormat({ endpoint, provider }: Attempt, { format }: Pick<SentRequest, 'format'>): Format {
  return formatAt(format, endpoint, provider);
}

function throwCredentialFailure(cause: unknown): never {
  const message = 'The stored credential could not be opened';
  if (isDatabaseAway(cause)) {
    throw new UpstreamFailure(message, {
      kind: 'upstream_error',
      error: 'internal',
      isPenalised: false,
      cause,
    });
  }
  throw new UpstreamFailure(message, { kind: 'auth', error: 'credential', cause });
}

function missingAdapter({ slug, adapter }: Attempt['provider']): UpstreamFailure {
  const message = `This gateway does not speak the protocol of ${slug} (${adapter}) yet`;
  return new UpstreamFailure(message, { kind: 'upstream_error', error: 'internal', isPenalised: false });
}
