import type { Client } from 'pg';

/** What the driver's connection tells before it answers. */
interface Authentications {
  readonly stream: { destroy(error: Error): unknown };
  prependListener(
    event: string,
    listener: (message: { readonly mechanisms?: readonly string[] }) => void,
  ): void;
}

const BINDING = 'SCRAM-SHA-256-PLUS';

/**
 * Ends the connection before a password is sent in a way that does not bind it to this TLS channel. The returned function,
 * called once connected, throws unless the server has asked for such a proof.
 */
export function requireChannelBinding(client: Client): () => void {
  const { connection } = client as unknown as { readonly connection: Authentications };
  const fault = () => new Error('the server offers no channel binding');
  let isBound = false;
  connection.prependListener('authenticationSASL', ({ mechanisms = [] }) => {
    isBound = mechanisms.includes(BINDING);
    if (!isBound) connection.stream.destroy(fault());
  });
  for (const event of ['authenticationCleartextPassword', 'authenticationMD5Password']) {
    connection.prependListener(event, () => connection.stream.destroy(fault()));
  }
  return () => {
    if (!isBound) throw fault();
  };
}
