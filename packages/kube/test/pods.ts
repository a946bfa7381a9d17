import type { StoredPod } from '../src/testing/stored-pod.ts'

/** Creates a pod object with one container, for tests of the API client. */
export const storedPod = (metadata: Partial<StoredPod['metadata']> = {}): StoredPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'demo', ...metadata },
  spec: { containers: [{ name: 'app', image: 'app' }] },
})
