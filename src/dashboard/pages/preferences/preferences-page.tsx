import { useMutation, useQuery } from '@connectrpc/connect-query';
import { AccountService, type Preferences } from '../../../../gen/byway/v1/accounts_pb.js';
import { listField } from '../../base/changes.js';
import { COLLECTION, SORTS } from '../../base/choices.js';
import { useProviderOptions } from '../../base/lists.js';
import { useForm } from '../../base/use-form.js';
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
  const { draft, bind, changedPaths, saved } = useForm(() => draftOf(stored));
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
          saved();
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
          {...bind('zdr')}
          hint="Only endpoints that keep nothing of a request are used. Own provider keys do not exempt from it."
        />
        <div className="columns">
          <SelectField
            label="Data collection by providers"
            {...bind('dataCollection')}
            hint="Deny leaves endpoints whose providers neither keep nor train on prompts."
            options={COLLECTION.options}
          />
          <SelectField
            label="Sort shared capacity by"
            {...bind('defaultSort')}
            hint="When a request does not say."
            options={SORTS.options}
          />
        </div>
        <RestrictionField
          label="Allowed providers"
          {...bind('allowedProviders')}
          everything="Every provider"
          placeholder="provider"
          options={providers}
        />
        <ListInput
          label="Ignored providers"
          {...bind('ignoredProviders')}
          placeholder="provider"
          options={providers}
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
