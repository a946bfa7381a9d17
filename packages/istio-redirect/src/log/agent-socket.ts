import type { LogSink } from '@cni/skel'
import { askDaemon } from '@cni/skel/daemon'

/** Sends the log lines of a CNI call to the node agent, for `kubectl logs`. */
export function agentSocket(socketPath: string, timeoutMs = 1000): LogSink {
  let lines: string[] = []
  return {
    write(line) {
      lines.push(line)
    },
    async flush() {
      const body = JSON.stringify(lines)
      if (lines.length > 0) await post(socketPath, body, timeoutMs)
      lines = []
    },
  }
}

async function post(socketPath: string, body: string, timeoutMs: number): Promise<void> {
  const { signal } = new AbortController()
  const { reason, code, refusal } = await askDaemon(socketPath, {
    ...{ path: '/log', body, signal },
    begunWithin: timeoutMs,
    within: timeoutMs,
  })
  if (reason === undefined) return
  const words = code === undefined ? reason : `${code}: ${reason}`
  throw new Error(`log socket ${socketPath}: ${refusal === undefined ? words : `status ${refusal.status}`}`)
}
