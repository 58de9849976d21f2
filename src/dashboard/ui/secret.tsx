import { useId, useRef, useState } from 'react';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Notice } from './notices.js';

interface SecretProps {
  readonly title: string;
  readonly label: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows a new secret, once. */
export function SecretText({ title, label, secret, onClose }: SecretProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    if (field.current !== null) setCopied(await copied(field.current));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="form">
        <Notice>Copy it now. The gateway keeps only its hash and can't show it again.</Notice>
        <div className="field">
          <label htmlFor={id}>{label}</label>
          <div className="adder">
            <input
              ref={field}
              id={id}
              className="input mono"
              readOnly
              value={secret}
              onFocus={(event) => event.target.select()}
            />
            <Button icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
              {isCopied ? 'Copied' : 'Copy'}
            </Button>
          </div>
        </div>
        <div className="form-actions">
          <Button kind="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Browsers offer the clipboard API only to pages over TLS and from localhost; elsewhere `execCommand` still works. */
async function copied(field: HTMLInputElement): Promise<boolean> {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand('copy');
  }
}
