/** What a caller says of a key, after the border has settled types and presence (spec 4.3, 4.4; interface section 4). */
import type { Change } from '../base/change.js';
import type { Filter } from './types.js';

/** A key to be stored, every member settled; the position follows from the section. */
export interface NewByokKey {
  /** Provider slug. */
  readonly provider: string;
  /** The credential's text; a JSON credential as its JSON text. */
  readonly key: string;
  readonly name: string | null;
  readonly disabled: boolean;
  readonly isFallback: boolean;
  readonly isRequired: boolean;
  readonly isByokOnly: boolean;
  /** true is refused: a key never exempts from a data policy (spec 4.5.7). */
  readonly declaredZdr: boolean | null;
  readonly allowedModels: Filter;
  readonly allowedApiKeyHashes: Filter;
  readonly allowedUserIds: Filter;
  /** null = the account's default workspace. */
  readonly workspaceId: string | null;
}

/** A `clear` of what can't be empty (booleans, `sortOrder`, `key`) is for the border to refuse. */
export interface ByokKeyUpdate {
  readonly key: Change<string>;
  readonly name: Change<string>;
  readonly disabled: Change<boolean>;
  readonly isFallback: Change<boolean>;
  readonly isRequired: Change<boolean>;
  readonly isByokOnly: Change<boolean>;
  readonly declaredZdr: Change<boolean>;
  readonly allowedModels: Change<readonly string[]>;
  readonly allowedApiKeyHashes: Change<readonly string[]>;
  readonly allowedUserIds: Change<readonly string[]>;
  /** The wanted position in the section, from 0; clamped to the end. */
  readonly sortOrder: Change<number>;
}

/** Which keys of an account are listed, and which page of them. */
export interface ByokKeyQuery {
  /** null = of every workspace. */
  readonly workspaceId: string | null;
  /** null = of every provider. */
  readonly provider: string | null;
  readonly offset: number;
  readonly limit: number;
}
