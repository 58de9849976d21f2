import { useMutation } from '@connectrpc/connect-query';
import { RoutingService } from '../../../../gen/byway/v1/routing_pb.js';
import { useAwaitsKeys, useKeyOptions, useModelOptions, useProviderOptions } from '../../base/lists.js';
import { useDraft } from '../../base/use-draft.js';
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
  const { draft, change } = useDraft(() => blankDraft(model));
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
              name="model"
              placeholder="author/model"
              suggestions={models.map(({ value }) => value)}
              value={draft.model}
              onChange={(text) => change({ model: text })}
            />
            <SelectField
              label="API key"
              name="api_key_hash"
              value={apiKeyHash}
              options={keys}
              onChange={(hash) => change({ apiKeyHash: hash })}
            />
            <TextField
              label="Prompt tokens"
              name="prompt_tokens"
              type="number"
              hint="An estimate. Optional."
              value={draft.promptTokens}
              onChange={(promptTokens) => change({ promptTokens })}
            />
            <TextField
              label="Most completion tokens"
              name="max_tokens"
              type="number"
              hint="Optional."
              value={draft.maxTokens}
              onChange={(maxTokens) => change({ maxTokens })}
            />
          </div>
          <details>
            <summary>Provider preferences of the request</summary>
            <PreferenceFields draft={draft} providers={providers} change={change} />
          </details>
        </Form>
      </Card>
      {route !== undefined && <RouteCard route={route} />}
    </PageLayout>
  );
}
