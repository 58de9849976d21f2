import { useMutation, useQuery } from '@connectrpc/connect-query';
import { useState } from 'react';
import { WorkspaceService } from '../../../../gen/byway/v1/workspaces_pb.js';
import { instantText } from '../../base/time.js';
import { Assignments } from '../../ui/assignments.js';
import { Loaded } from '../../ui/loaded.js';
import { Card } from '../../ui/page.js';
import { useAnnounce } from '../../ui/status.js';

const PAGE = 50;

/** The members of a workspace. */
export function WorkspaceMembers({ id }: { readonly id: string }) {
  const [offset, setOffset] = useState(0);
  const query = useQuery(WorkspaceService.method.listWorkspaceMembers, { id, offset, limit: PAGE });
  const add = useMutation(WorkspaceService.method.addWorkspaceMembers);
  const remove = useMutation(WorkspaceService.method.removeWorkspaceMembers);
  const announce = useAnnounce();
  return (
    <Card title="Members" intro="User identifiers are your own; nobody has to be registered anywhere.">
      <Loaded query={query}>
        {({ data, totalCount }) => (
          <Assignments
            thing="member"
            field="user_ids"
            assigned={data.map(({ userId, createdAt }) => ({ value: userId, since: instantText(createdAt) }))}
            nameOf={(userId) => <code className="break">{userId}</code>}
            options={[]}
            placeholder="user_…"
            submit="Add members"
            page={{ offset, limit: PAGE, total: totalCount }}
            onMove={setOffset}
            onAdd={(userIds, done) => {
              const added = () => {
                announce('Members added');
                done();
              };
              add.mutate({ id, userIds: [...userIds] }, { onSuccess: added });
            }}
            onRemove={(userId) => remove.mutate({ id, userIds: [userId] })}
            isBusy={add.isPending || remove.isPending}
            addError={add.error}
            removeError={remove.error}
          />
        )}
      </Loaded>
    </Card>
  );
}
