import { type Netns, netns } from '@cni/netns'
import { CniError, ErrorCode } from '@cni/types'

/** Seconds after which a holder ends by itself, should this process be killed: longer than any call. */
const HOLDER_LIFETIME = '120'
/** Milliseconds for a holder to be inside, which takes time only where it enters through nsenter. */
const ENTER_TIMEOUT = 2000

/**
 * Runs `body` with a path of the form `/proc/PID/ns/net`, the only one the daemon understands: the pod's own where the
 * runtime gives such a path; else that of a process inside the namespace which lives as long as `body` runs. The
 * original enters the namespace itself for this.
 */
export async function withProcPath<T>(pod: Netns, signal: AbortSignal, body: (path: string) => Promise<T>): Promise<T> {
  if (pod.path.startsWith('/proc/')) return body(pod.path)
  const holder = netns.start(pod, ['sleep', HOLDER_LIFETIME], { env: {}, signal })
  // It ends because we end it.
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
    // Not started, or gone: it is not inside.
    return false
  }
}
