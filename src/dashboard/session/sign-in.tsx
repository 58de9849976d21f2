import { createClient } from '@connectrpc/connect';
import { useId, useState } from 'react';
import { AccountService } from '../../../gen/byway/v1/accounts_pb.js';
import { callRefusalOf } from '../base/refusal.js';
import { Button } from '../ui/button.js';
import { Logo } from '../ui/icons.js';
import { createTransport } from './transport.js';

interface SignInProps {
  /** Why the last session ended, unless the user ended it. */
  readonly notice: string | undefined;
  readonly onSignedIn: (managementKey: string) => void;
}

/** Takes a management key, and signs in with one that the server accepts. */
export function SignIn({ notice, onSignedIn }: SignInProps) {
  const id = useId();
  const [key, setKey] = useState('');
  const [message, setMessage] = useState(notice);
  const [isBusy, setBusy] = useState(false);

  const submit = async () => {
    setBusy(true);
    setMessage(undefined);
    const refused = await refusalFor(key.trim());
    setBusy(false);
    if (refused === undefined) onSignedIn(key.trim());
    else setMessage(refused);
  };

  return (
    <main className="sign-in">
      <form
        className="card sign-in-card"
        method="post"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Logo />
        <h1>Byway</h1>
        <p className="muted">Sign in with a management key of your account.</p>
        <div className="field">
          <label htmlFor={id}>Management key</label>
          <input
            id={id}
            className="input mono"
            type="password"
            autoComplete="off"
            spellCheck={false}
            placeholder="bw-mgmt-…"
            value={key}
            onChange={(event) => setKey(event.target.value)}
            aria-invalid={message !== undefined}
            aria-describedby={message === undefined ? `${id}-hint` : `${id}-error ${id}-hint`}
          />
          {message !== undefined && (
            <p id={`${id}-error`} className="field-error" role="alert">
              {message}
            </p>
          )}
          <p id={`${id}-hint`} className="field-hint">
            It stays in this tab and is forgotten when the tab closes. The first start of the gateway makes
            one: it prints it on a terminal, and writes it to <code>first-start.json</code> in its data
            directory elsewhere. <code>byway management-key create</code> makes more.
          </p>
        </div>
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Sign in
        </Button>
      </form>
    </main>
  );
}

/** Why the key can't be used here; undefined when it can. */
async function refusalFor(key: string): Promise<string | undefined> {
  if (key === '') return 'Enter a management key';
  try {
    await createClient(AccountService, createTransport(key)).getCredits({});
    return undefined;
  } catch (error) {
    return callRefusalOf(error).message;
  }
}
