import { type Netns, netns } from '@cni/netns'
import { CniError, ErrorCode } from '@cni/types'

/**
 * Lifetime in seconds of a holder process, which is a `sleep` in the pod's namespace. If the plugin is killed, the
 * holder process ends by itself. The lifetime is longer than any plugin call.
 */
const HOLDER_LIFETIME = '120'
/**
 * Maximum milliseconds to wait until the holder process is in the pod's namespace. Only the start of nsenter takes
 * time.
 */
const ENTER_TIMEOUT = 2000

/**
 * Runs `body` with a path of the form `/proc/PID/ns/net`, the only form that the daemon accepts. If the runtime passes
 * another path, the plugin starts a holder process in the namespace. The holder process lives until `body` ends. The
 * original plugin enters the namespace itself.
 */
export async function withProcPath<T>(pod: Netns, signal: AbortSignal, body: (path: string) => Promise<T>): Promise<T> {
  if (pod.path.startsWith('/proc/')) return body(pod.path)
  const holder = netns.start(pod, ['sleep', HOLDER_LIFETIME], { env: {}, signal })
  // Ignores the error of the holder process, because this function itself kills the holder process.
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
