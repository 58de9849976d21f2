/** Describes the words of providers that refuse something. What follows from a refusal is decided elsewhere. */
import type { Adaptation, UpstreamCall } from './adapter.js';

/**
 * The words of one provider. Another one may repeat them, so every provider's refusals are searched for the words of
 * all.
 */
export interface HostRefusals {
  /** Its names of a chat's members that a request can be served without. */
  readonly members?: Readonly<Record<string, string>>;
  /** Its words for several members at once. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** Objects of its requests that it names members below of. */
  readonly below?: readonly string[];
  /** Say that the provider does not support a member. Each has a group that matches the name, or a list of names. */
  readonly unsupported?: readonly RegExp[];
  /** Say that the provider does not support a member's value. Groups as in `unsupported`. */
  readonly unsupportedValue?: readonly RegExp[];
  /** Error codes by which the member in `param` is not supported. */
  readonly unsupportedCodes?: readonly string[];
  /** Say that the endpoint can't answer any such request, whatever it contains. */
  readonly unsupportedEndpoint?: readonly RegExp[];
  /** Say that the prompt is longer than the model's context; the groups `tokens` and `limit` are its length and the context's. */
  readonly overflow?: readonly RegExp[];
  /** Codes that say so by themselves. */
  readonly overflowCodes?: readonly string[];
  readonly features?: readonly CallFeature[];
  readonly featureWords?: readonly FeatureWords[];
}

/** A feature of calls that is not a member of the body, such as a version in the URL. */
export interface CallFeature {
  /** The feature's name, or the part before the colon in the names of several. */
  readonly kind: string;
  /** How a call without it is made. */
  readonly adaptation: Adaptation;
  /** Whether a call without it tells by itself what of the chat it changes. */
  readonly isToldByCall?: true;
  /** The chat's member that is told as changed; the feature's name otherwise. */
  toldAs?(call: UpstreamCall): string;
  /** The names of the features that a call uses. */
  namesIn(call: UpstreamCall): readonly string[];
  /** The call without the feature; the same call if it does not use it. */
  without(call: UpstreamCall, name: string): UpstreamCall;
}

/** Words by which a refusal says that a feature is not supported. */
export interface FeatureWords {
  readonly kind: string;
  /** undefined for a message about anything else. */
  namedIn(message: string): NamedFeatures | undefined;
}

export interface NamedFeatures {
  /** null = one of the features that the call uses, but it is not known which. */
  readonly names: readonly string[] | null;
  /** The words that may only be a repetition of the request; null if they can't be. */
  readonly phrase: string | null;
  /** Whether only this request is adapted. */
  readonly isTaught?: false;
}
