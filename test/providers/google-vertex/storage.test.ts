import { Storage } from '@google-cloud/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeGoogle } from '../../support/fakes/fake-google-storage.js';

/** The official client, which sends credentials to a custom host only if configured to. */
async function start() {
  const google = await startFakeGoogle();
  onTestFinished(() => google.stop());
  const token = google.token();
  const authClient = { getRequestHeaders: async () => ({ Authorization: `Bearer ${token}` }) };
  const client = new Storage({
    apiEndpoint: google.origin,
    projectId: 'fake-project',
    useAuthWithCustomEndpoint: true,
    retryOptions: { autoRetry: false },
    ...({ authClient } as object),
  });
  return { google, client };
}

describe('the fake storage, with the official client,', () => {
  it('makes, lists and reads buckets', async () => {
    const { client, google } = await start();
    google.storage.add('somebody-elses', 'other-project');
    for (const name of ['bucket-c', 'bucket-a', 'bucket-b']) {
      await client.createBucket(name, {
        location: 'EUROPE-WEST4',
        iamConfiguration: {
          publicAccessPrevention: 'enforced',
          uniformBucketLevelAccess: { enabled: true },
        },
        lifecycle: { rule: [{ action: { type: 'Delete' }, condition: { age: 30 } }] },
        softDeletePolicy: { retentionDurationSeconds: 0 },
      });
    }
    const [buckets] = await client.getBuckets();
    expect(buckets.map(({ name }) => name)).toEqual(['bucket-a', 'bucket-b', 'bucket-c']);
    const [metadata] = await client.bucket('bucket-a').getMetadata();
    expect(metadata).toMatchObject({
      location: 'EUROPE-WEST4',
      iamConfiguration: { publicAccessPrevention: 'enforced' },
    });
  });

  it('writes, overwrites, lists, reads in ranges and deletes objects', async () => {
    const { client, google } = await start();
    google.storage.add('bucket-a');
    const bucket = client.bucket('bucket-a');
    const file = bucket.file('in/a folder/lines.jsonl');
    await file.save('first', { resumable: false, validation: false });
    await file.save('{"a":1}\n{"b":"ü"}\n', { resumable: false });
    await bucket.file('out/x').save('x', { resumable: false });
    await bucket.file('in/b').save('b', { resumable: false });
    await bucket.file('in/c').save('c', { resumable: false });
    const [files] = await bucket.getFiles({ prefix: 'in/' });
    expect(files.map(({ name }) => name)).toEqual(['in/a folder/lines.jsonl', 'in/b', 'in/c']);
    expect((await file.download({ validation: false }))[0].toString()).toBe('{"a":1}\n{"b":"ü"}\n');
    expect((await file.download({ start: 1, end: 3, validation: false }))[0].toString()).toBe('"a"');
    await file.delete();
    expect((await file.exists())[0]).toBe(false);
  });

  it('refuses what is taken, missing, forbidden or without a valid token', async () => {
    const { client, google } = await start();
    google.storage.add('taken', 'other-project');
    await expect(client.createBucket('taken')).rejects.toMatchObject({ code: 409 });
    await expect(client.bucket('missing').getMetadata()).rejects.toMatchObject({ code: 404 });
    await expect(client.bucket('taken').getFiles()).rejects.toMatchObject({ code: 403 });
    google.storage.permissions.delete('storage.buckets.list');
    await expect(client.getBuckets()).rejects.toThrow("Permission 'storage.buckets.list' denied");
    google.storage.permissions.delete('storage.objects.delete');
    const { objects } = google.storage.add('mine');
    const file = client.bucket('mine').file('a');
    await file.save('1', { resumable: false });
    await expect(file.save('2', { resumable: false })).rejects.toMatchObject({ code: 403 });
    expect(objects.get('a')?.toString()).toBe('1');
    google.expireTokens();
    await expect(client.getBuckets()).rejects.toMatchObject({ code: 401 });
  });
});
