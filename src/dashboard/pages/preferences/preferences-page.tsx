import { useMutation, useQuery } from '@connectrpc/connect-query';
import { AccountService, type Preferences } from '../../../../gen/byway/v1/accounts_pb.js';
import { listField } from '../../base/changes.js';
import { COLLECTION, SORTS } from '../../base/choices.js';
import { useProviderOptions } from '../../base/lists.js';
import { useDraft } from '../../base/use-draft.js';
import { SelectField, SwitchField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';
import { ListInput, RestrictionField } from '../../ui/list-field.js';
import { Loaded } from '../../ui/loaded.js';
import { Warnings } from '../../ui/notices.js';
import { Card, PageLayout } from '../../ui/page.js';
import { useAnnounce } from '../../ui/status.js';

/** Account-wide provider preferences and privacy settings. */
export function PreferencesPage() {
  const preferences = useQuery(AccountService.method.getPreferences, {});
  return (
    <PageLayout
      title="Preferences & privacy"
      intro="They hold for every request of the account. Guardrails can only narrow them further."
    >
      <Loaded query={preferences} rows={5}>
        {({ data }) => data !== undefined && <PreferencesForm stored={data} />}
      </Loaded>
    </PageLayout>
  );
}

function PreferencesForm({ stored }: { readonly stored: Preferences }) {
  const update = useMutation(AccountService.method.updatePreferences);
  const announce = useAnnounce();
  const providers = useProviderOptions();
  const { draft, change, changedPaths, markSaved } = useDraft(() => draftOf(stored));
  const submit = () => {
    const paths = changedPaths();
    if (paths.length === 0) return announce('Nothing has changed');
    const preferences = {
      allowedProviders: listField(draft.allowedProviders),
      ignoredProviders: listField(draft.ignoredProviders.length === 0 ? null : draft.ignoredProviders),
      zdr: draft.zdr,
      dataCollection: COLLECTION.read(draft.dataCollection),
      defaultSort: SORTS.read(draft.defaultSort),
    };
    return update.mutate(
      { preferences, updateMask: { paths } },
      {
        onSuccess: () => {
          markSaved();
          announce('Preferences saved');
        },
      },
    );
  };
  return (
    <Card>
      <Warnings warnings={stored.warnings} />
      <Form submit="Save" onSubmit={submit} isBusy={update.isPending} error={update.error}>
        <SwitchField
          label="Zero data retention only"
          name="zdr"
          hint="Only endpoints that keep nothing of a request are used. Own provider keys do not exempt from it."
          checked={draft.zdr}
          onChange={(zdr) => change({ zdr })}
        />
        <div className="columns">
          <SelectField
            label="Data collection by providers"
            name="data_collection"
            hint="Deny leaves endpoints whose providers neither keep nor train on prompts."
            options={COLLECTION.options}
            value={draft.dataCollection}
            onChange={(dataCollection) => change({ dataCollection })}
          />
          <SelectField
            label="Sort shared capacity by"
            name="default_sort"
            hint="When a request does not say."
            options={SORTS.options}
            value={draft.defaultSort}
            onChange={(defaultSort) => change({ defaultSort })}
          />
        </div>
        <RestrictionField
          label="Allowed providers"
          name="allowed_providers"
          everything="Every provider"
          placeholder="provider"
          options={providers}
          values={draft.allowedProviders}
          onChange={(allowedProviders) => change({ allowedProviders })}
        />
        <ListInput
          label="Ignored providers"
          name="ignored_providers"
          placeholder="provider"
          options={providers}
          values={draft.ignoredProviders}
          onChange={(ignoredProviders) => change({ ignoredProviders })}
        />
      </Form>
    </Card>
  );
}

function draftOf(stored: Preferences) {
  const allowed: readonly string[] | null = stored.allowedProviders?.values ?? null;
  const ignored: readonly string[] = stored.ignoredProviders?.values ?? [];
  return {
    allowedProviders: allowed,
    ignoredProviders: ignored,
    zdr: stored.zdr ?? false,
    dataCollection: COLLECTION.show(stored.dataCollection),
    defaultSort: SORTS.show(stored.defaultSort),
  };
}
