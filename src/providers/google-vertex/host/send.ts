import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import type { Send } from '../../http/codec.js';
import type { Http } from '../../http/http.js';
import { discard } from '../../http/read-body.js';
import type { AccessToken, AccessTokens } from './token.js';

/**
 * Sends with a token. If a cached token is refused, which may have been revoked, it is sent once more with a new one.
 */
export function sender(http: Http, tokens: AccessTokens): Send<VertexCredential> {
  return async ({ url, headers, body }, call, redactor) => {
    const { provider, credential, signal, tenancy, hostHeaders, onSent } = call;
    const post = ({ text }: AccessToken) =>
      http.post({
        url,
        headers: { authorization: `Bearer ${text}`, ...headers },
        body,
        signal,
        tenancy,
        hostHeaders,
        onSent,
      });
    const { token, wasCached } = await tokens.grant(credential, provider, call);
    redactor.addToken(token);
    const answer = await post(token);
    if (answer.status !== 401) return answer;
    tokens.forget(credential, provider, token);
    if (!wasCached) return answer;
    discard(answer.body);
    const { token: another } = await tokens.grant(credential, provider, call);
    redactor.addToken(another);
    return post(another);
  };
}
