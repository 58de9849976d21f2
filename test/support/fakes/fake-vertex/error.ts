/** An error in Google's usual envelope (https://cloud.google.com/apis/design/errors); undefined for a valid request. */
export interface FakeError {
  readonly status: number;
  readonly body: unknown;
}

/** The error with this status and canonical word. */
export function googleError(status: number, word: string, message: string, details?: object[]): FakeError {
  return { status, body: { error: { code: status, message, status: word, ...(details && { details }) } } };
}

/** The error for an account without the permission to predict. */
export function permissionDenied(projectId: string, model: string): FakeError {
  const resource = `//aiplatform.googleapis.com/projects/${projectId}/locations/global/publishers/google/models/${model}`;
  const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'IAM_PERMISSION_DENIED' };
  const message = `Permission 'aiplatform.endpoints.predict' denied on resource '${resource}' (or it may not exist).`;
  return googleError(403, 'PERMISSION_DENIED', message, [reason]);
}
