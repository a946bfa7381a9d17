// Usage: get-once.ts KUBECONFIG TIMEOUT_MS. Gets the pod demo/web from the API server once and prints the outcome.
import { writeSync } from 'node:fs'
import { kubeClient } from '../src/client/client.ts'
import { podPath } from '../src/client/get-pod.ts'
import { parsePod } from '../src/client/parse-pod.ts'
import { loadKubeconfig } from '../src/config/kubeconfig.ts'
import { isKubeError } from '../src/kube-error.ts'

const [, , kubeconfig = '', timeoutMs = ''] = process.argv
const web = { namespace: 'demo', name: 'web' }

async function outcome(): Promise<object> {
  try {
    const client = kubeClient(await loadKubeconfig(kubeconfig), { timeoutMs: Number(timeoutMs) })
    const pod = parsePod(await client.get(podPath(web), { signal: AbortSignal.timeout(10_000) }), web)
    return { code: 'OK', name: pod.metadata.name }
  } catch (error) {
    if (!isKubeError(error)) throw error
    const { code, status, retryAfterMs, message } = error
    return { code, status, retryAfterMs, message }
  }
}

outcome().then(
  (result) => {
    writeSync(1, JSON.stringify(result))
    process.exit(0)
  },
  (error: unknown) => {
    writeSync(2, String(error))
    process.exit(1)
  },
)
