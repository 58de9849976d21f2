/** Inputs for keys, with types and presence already checked. */
import type { Change } from '../../base/change.js';
import type { Filter } from '../types.js';

/** A key to store; its position follows from its section. */
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
  /** true is refused: a key never exempts from a data policy. */
  readonly declaredZdr: boolean | null;
  readonly allowedModels: Filter;
  readonly allowedApiKeyHashes: Filter;
  readonly allowedUserIds: Filter;
  /** null = the account's default workspace. */
  readonly workspaceId: string | null;
  /** Further workspaces; null = none. */
  readonly workspaceIds: readonly string[] | null;
}

/** Changes of a key. A `clear` of what can't be null (booleans, `sortOrder`, `key`) was refused earlier. */
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
  readonly workspaceIds: Change<readonly string[]>;
  /** The new position in the section, from 0; clamped to the end. */
  readonly sortOrder: Change<number>;
}

export interface ByokKeyQuery {
  /** Keys that the workspace may use, its own and others'; null = of every workspace. */
  readonly workspaceId: string | null;
  /** null = of every provider. */
  readonly provider: string | null;
  readonly offset: number;
  readonly limit: number;
}
