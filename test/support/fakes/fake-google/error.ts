/** Errors in the envelope of the storage JSON API: https://cloud.google.com/storage/docs/json_api/v1/status-codes. */
export class StorageRefusal extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.body = { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } };
  }
}

const ACCOUNT = 'gateway@fake-project.iam.gserviceaccount.com';

/** The error for an account without this permission. */
export function forbidden(permission: string, what: string): StorageRefusal {
  return new StorageRefusal(
    403,
    'forbidden',
    `${ACCOUNT} does not have ${permission} access to the Google Cloud ${what}. Permission '${permission}' denied on resource (or it may not exist).`,
  );
}

export function notFound(message: string): StorageRefusal {
  return new StorageRefusal(404, 'notFound', message);
}
