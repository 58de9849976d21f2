import { useMutation, useQuery } from '@connectrpc/connect-query';
import { useState } from 'react';
import { type Guardrail, GuardrailService } from '../../../../gen/byway/v1/guardrails_pb.js';
import { useWorkspaces } from '../../base/lists.js';
import { linkTo } from '../../base/route.js';
import { LEAVES_PAGE } from '../../session/query-client.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { Loaded } from '../../ui/loaded.js';
import { Notice, Warnings } from '../../ui/notices.js';
import { PageLayout } from '../../ui/page.js';
import { useAnnounce } from '../../ui/status.js';
import { KeyAssignments } from './key-assignments.js';
import { MemberAssignments } from './member-assignments.js';
import { RulesCard } from './rules-card.js';

/** One guardrail: its rules, and what it is assigned to. */
export function GuardrailPage({ id }: { readonly id: string }) {
  const query = useQuery(GuardrailService.method.getGuardrail, { id });
  const workspace = useWorkspaces().data?.data.find((each) => each.defaultGuardrailId === id);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <PageLayout
      title={query.data?.data?.name ?? 'Guardrail'}
      parent={{ title: 'Guardrails', href: linkTo(['guardrails']) }}
      actions={
        workspace === undefined && (
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Delete guardrail
          </Button>
        )
      }
    >
      {workspace !== undefined && (
        <Notice>
          This is the default guardrail of the workspace {workspace.name}: it applies to all its traffic.
        </Notice>
      )}
      <Loaded query={query} rows={6}>
        {({ data }) =>
          data !== undefined && (
            <>
              <Warnings warnings={data.warnings} />
              <RulesCard key={data.id} stored={data} />
              <KeyAssignments id={id} />
              <MemberAssignments id={id} />
              {isDeleting && <DeleteGuardrail guardrail={data} onClose={() => setDeleting(false)} />}
            </>
          )
        }
      </Loaded>
    </PageLayout>
  );
}

function DeleteGuardrail({
  guardrail,
  onClose,
}: {
  readonly guardrail: Guardrail;
  readonly onClose: () => void;
}) {
  const remove = useMutation(GuardrailService.method.deleteGuardrail, { meta: LEAVES_PAGE });
  const announce = useAnnounce();
  const done = () => {
    announce('Guardrail deleted');
    window.location.hash = linkTo(['guardrails']);
  };
  return (
    <Confirm
      title={`Delete ${guardrail.name}?`}
      confirm="Delete guardrail"
      onConfirm={() => remove.mutate({ id: guardrail.id }, { onSuccess: done })}
      onClose={onClose}
      isBusy={remove.isPending}
      error={remove.error}
    >
      <p>Its assignments are deleted with it, and what it forbade is allowed again.</p>
    </Confirm>
  );
}
