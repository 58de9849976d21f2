import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FirstKeys } from '../../accounts/account/first-account.js';
import { describeFileError } from '../../base/file-error.js';
import { isUuid } from '../../base/ids.js';
import { createSecretFile } from '../../base/secret-file.js';
import { ConfigError } from '../../config/config.js';
import { parseSecret } from '../../identity/secret.js';

/** The file with the keys of the first start in the data directory, readable only by its owner. */
export class FirstStartFile {
  readonly path: string;
  readonly keys: FirstKeys;

  private constructor(path: string, keys: FirstKeys) {
    this.path = path;
    this.keys = keys;
  }

  /**
   * Writes the keys, or reads those of an existing file, which an aborted start has left or a concurrent one is about
   * to use. Throws ConfigError for a file with other content.
   */
  static writeOrReuse(dataDir: string, fresh: FirstKeys): FirstStartFile {
    const path = join(dataDir, 'first-start.json');
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const isFresh = createSecretFile(path, textOf(fresh));
    return new FirstStartFile(path, isFresh ? fresh : keysIn(path));
  }

  /** For keys that were not used. */
  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function textOf({ accountId, managementKey, apiKey, operatorKey }: FirstKeys): string {
  const document = {
    account_id: accountId,
    management_key: managementKey,
    api_key: apiKey,
    operator_key: operatorKey,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function keysIn(path: string): FirstKeys {
  const { account_id, management_key, api_key, operator_key } = parsed(read(path));
  const accountId = text(account_id);
  const managementKey = text(management_key);
  const apiKey = text(api_key);
  const operatorKey = text(operator_key);
  const isWhole =
    isUuid(accountId) &&
    parseSecret(managementKey)?.kind === 'management_key' &&
    parseSecret(apiKey)?.kind === 'api_key' &&
    parseSecret(operatorKey)?.kind === 'operator_key';
  if (!isWhole) {
    throw new ConfigError(`BYWAY_DATA_DIR: ${path} is not what a first start has written; move it away`);
  }
  return { accountId, managementKey, apiKey, operatorKey };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`BYWAY_DATA_DIR: cannot read ${describeFileError(path, cause)}`, { cause });
  }
}

function parsed(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
