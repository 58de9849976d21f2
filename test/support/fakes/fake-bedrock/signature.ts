/**
 * Checks signatures like the service: by computing them from the request, as in
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A secret and what it signs for. */
export interface Signer {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The signed request. */
export interface SignedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const SHAPE =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/bedrock\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/** The violation in the signature of a request to this region; undefined for a valid one. */
export function signatureViolation(
  request: SignedRequest,
  signer: Signer,
  region: string,
  now: number,
): { readonly type: string; readonly message: string } | undefined {
  const { headers, text } = request;
  const [, id, day, signedRegion, names = '', signature] = SHAPE.exec(headers.authorization ?? '') ?? [];
  if (id === undefined || day === undefined) {
    return { type: 'IncompleteSignatureException', message: 'Authorization header requires its parts.' };
  }
  if (id !== signer.accessKeyId) {
    const message = 'The security token included in the request is invalid.';
    return { type: 'UnrecognizedClientException', message };
  }
  const time = String(headers['x-amz-date']);
  const signedAt = Date.parse(
    time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  if (!(Math.abs(signedAt - now) <= 5 * 60_000)) {
    const message = `Signature expired: ${time} is now earlier than the allowed time`;
    return { type: 'InvalidSignatureException', message };
  }
  if (signedRegion !== region || !time.startsWith(day)) {
    return { type: 'InvalidSignatureException', message: 'Credential should be scoped to a valid region. ' };
  }
  const list = names.split(';');
  const isComplete = ['host', 'x-amz-date'].every((name) => list.includes(name));
  const isBodys = sha256(text) === (headers['x-amz-content-sha256'] ?? sha256(text));
  if (isComplete && isBodys && signature === expected(request, signer, { day, region, time, list }))
    return undefined;
  return {
    type: 'InvalidSignatureException',
    message:
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
  };
}

function expected(
  { path, headers, text }: SignedRequest,
  { secretAccessKey }: Signer,
  { day, region, time, list }: { day: string; region: string; time: string; list: readonly string[] },
): string {
  const lines = list.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const twice = path.split('/').map(encodeURIComponent).join('/');
  const canonical = `POST\n${twice}\n\n${lines}\n${list.join(';')}\n${sha256(text)}`;
  const scope = `${day}/${region}/bedrock/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`;
  let key: Buffer | string = `AWS4${secretAccessKey}`;
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(toSign).digest('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
