import { useMutation } from '@connectrpc/connect-query';
import { RoutingService } from '../../../../gen/byway/v1/routing_pb.js';
import { useAwaitsKeys, useKeyOptions, useModelOptions, useProviderOptions } from '../../base/lists.js';
import { useForm } from '../../base/use-form.js';
import { CHANGES_NOTHING } from '../../session/query-client.js';
import { SelectField, TextField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';
import { Card, PageLayout } from '../../ui/page.js';
import { blankDraft, requestOf } from './draft.js';
import { PreferenceFields } from './preference-fields.js';
import { RouteCard } from './route-card.js';

/** Explains where a request would go and why not elsewhere; nothing is sent to providers. */
export function RoutingPage({ model }: { readonly model: string }) {
  const keys = useKeyOptions();
  const awaitsKeys = useAwaitsKeys();
  const models = useModelOptions();
  const providers = useProviderOptions();
  const explain = useMutation(RoutingService.method.explainRoute, { meta: CHANGES_NOTHING });
  const { draft, bind } = useForm(() => blankDraft(model));
  const apiKeyHash = draft.apiKeyHash === '' ? (keys[0]?.value ?? '') : draft.apiKeyHash;
  const route = explain.data?.data;
  return (
    <PageLayout
      title="Explain a route"
      intro="Where a chat request would go, attempt by attempt, and the reason for everything that would not be tried. Nothing is sent."
    >
      <Card title="Request">
        <Form
          submit="Explain"
          onSubmit={() => explain.mutate(requestOf({ ...draft, apiKeyHash }))}
          isBusy={explain.isPending || awaitsKeys}
          error={explain.error}
        >
          <div className="columns">
            <TextField
              label="Model"
              {...bind('model')}
              placeholder="author/model"
              suggestions={models.map(({ value }) => value)}
            />
            <SelectField label="API key" {...bind('apiKeyHash')} value={apiKeyHash} options={keys} />
            <TextField
              label="Prompt tokens"
              {...bind('promptTokens')}
              type="number"
              hint="An estimate. Optional."
            />
            <TextField label="Most completion tokens" {...bind('maxTokens')} type="number" hint="Optional." />
          </div>
          <details>
            <summary>Provider preferences of the request</summary>
            <PreferenceFields providers={providers} bind={bind} />
          </details>
        </Form>
      </Card>
      {route !== undefined && <RouteCard route={route} />}
    </PageLayout>
  );
}
