import { type Netns, netns } from '@cni/netns'
import { CniError, ErrorCode } from '@cni/types'

/** Lifetime in seconds of the holder process, which ends even if the plugin is killed. */
const HOLDER_LIFETIME = '120'
/** Maximum milliseconds until nsenter has started the holder process in the pod's namespace. */
const ENTER_TIMEOUT = 2000

/** Runs `body` with a path `/proc/PID/ns/net`, because the daemon accepts no other path. */
export async function withProcPath<T>(pod: Netns, signal: AbortSignal, body: (path: string) => Promise<T>): Promise<T> {
  if (pod.path.startsWith('/proc/')) return body(pod.path)
  const holder = netns.start(pod, ['sleep', HOLDER_LIFETIME], { env: {}, signal })
  // Ignores the holder process's error, because this function itself kills the holder process.
  const ended = holder.done.catch(() => {})
  try {
    const path = `/proc/${holder.pid}/ns/net`
    await isInside(path, pod, signal)
    return await body(path)
  } finally {
    holder.kill('SIGKILL')
    await ended
  }
}

async function isInside(path: string, pod: Netns, signal: AbortSignal): Promise<void> {
  const until = performance.now() + ENTER_TIMEOUT
  while (!leadsTo(path, pod)) {
    if (performance.now() > until || signal.aborted) {
      throw new CniError(ErrorCode.invalidNetns, 'no process could be started in the network namespace', {
        details: pod.path,
      })
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

function leadsTo(path: string, pod: Netns): boolean {
  try {
    using now = netns.open(path)
    return now.isSame(pod)
  } catch {
    // The path cannot be opened: the holder process has not started or has already ended.
    return false
  }
}
