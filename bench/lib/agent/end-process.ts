import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Milliseconds from SIGTERM to SIGKILL. */
const EXIT_MS = 20_000

/** Ends an agent's process with SIGTERM, or with SIGKILL after a time limit. Returns the milliseconds until its exit. */
export async function endProcess(child: ChildProcess | undefined): Promise<number> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return 0
  const exit = once(child, 'exit')
  const began = performance.now()
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), EXIT_MS)
  await exit
  clearTimeout(late)
  return performance.now() - began
}
