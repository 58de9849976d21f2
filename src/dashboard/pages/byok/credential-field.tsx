import type { ReactNode } from 'react';
import { TextAreaField, TextField } from '../../ui/fields.js';

interface CredentialFieldProps {
  readonly provider: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The format of a provider's credential (docs/credentials.md#formats-by-provider). */
interface Format {
  readonly hint: ReactNode;
  readonly example: string;
}

/** Providers whose credential is a JSON document; all others take a bare key. */
const DOCUMENTS: Readonly<Record<string, Format>> = {
  azure: {
    hint: 'A JSON array of resources and, for single deployments, entries with model_slug, endpoint_url, api_key and model_id.',
    example: '[{"api_key": "…", "resource_name": "my-resource", "resource_type": "deployment"}]',
  },
  'amazon-bedrock': {
    hint: 'Either a bare API key of one region, or a JSON object with accessKeyId, secretAccessKey and region.',
    example: '{"accessKeyId": "AKIA…", "secretAccessKey": "…", "region": "us-east-1"}',
  },
  'google-vertex': {
    hint: 'The service account’s JSON key as it was downloaded; a region and a bucket for batches may be added to it.',
    example: '{"type": "service_account", "project_id": "…", …, "region": "global"}',
  },
};

/** The input of a credential, which is never shown again. */
export function CredentialField({ provider, ...field }: CredentialFieldProps) {
  const format = DOCUMENTS[provider];
  if (format === undefined) {
    return (
      <TextField
        {...field}
        name="key"
        type="password"
        isMono
        hint="Stored encrypted and never shown again."
      />
    );
  }
  return (
    <TextAreaField {...field} name="key" rows={5} isMono placeholder={format.example} hint={format.hint} />
  );
}
