/** What providers say of what they refuse: the words are theirs to know, what is done about them is not. */
import type { Adaptation, UpstreamCall } from './adapter.js';

/** The words of one provider. Others may pass them on, so that those of all count, whoever says them. */
export interface HostRefusals {
  /** Its names for members of a chat that a request can be served without. */
  readonly members?: Readonly<Record<string, string>>;
  /** Its words for several members at once. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** Objects of its requests that it names members below of. */
  readonly below?: readonly string[];
  /** Say that it does not support a member: the name, or a list of names, is the group of each. */
  readonly unsupported?: readonly RegExp[];
  /** Say that it does not support a member's value, in the same way. */
  readonly unsupportedValue?: readonly RegExp[];
  /** Codes that say by themselves that the member in `param` is not supported. */
  readonly unsupportedCodes?: readonly string[];
  /** Say that the endpoint can't answer any request of this kind, whatever is in it. */
  readonly unsupportedEndpoint?: readonly RegExp[];
  /** Say that the prompt is longer than the model's context; the groups `tokens` and `limit` are its length and the context's. */
  readonly overflow?: readonly RegExp[];
  /** Codes that say so by themselves. */
  readonly overflowCodes?: readonly string[];
  readonly features?: readonly CallFeature[];
  readonly featureWords?: readonly FeatureWords[];
}

/** Something of calls that is no member of a body, such as a version in the URL. */
export interface CallFeature {
  /** Its name, or what stands before a colon in the names of several. */
  readonly kind: string;
  /** How a call without it is made. */
  readonly adaptation: Adaptation;
  /** By their names. */
  namesIn(call: UpstreamCall): readonly string[];
  /** The same call where it does not have it. */
  without(call: UpstreamCall, name: string): UpstreamCall;
}

/** How a refusal says that a feature is not supported. */
export interface FeatureWords {
  readonly kind: string;
  /** undefined for a message that is about anything else. */
  namedIn(message: string): NamedFeatures | undefined;
}

export interface NamedFeatures {
  /** null: one of those that the call has, but not which. */
  readonly names: readonly string[] | null;
  /** What the provider may only have repeated of the request; null where it can't have. */
  readonly phrase: string | null;
}
