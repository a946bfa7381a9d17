import { type Installer, type InstallerOptions, installer } from '@cni/installer'
import { onTestFinished } from 'vitest'
import { eventually, type FakeNode, fakeNode } from './node.ts'

/** A running installer on a simulated node. The installer is stopped and the node is removed after the test. */
export interface Running {
  readonly node: FakeNode
  readonly installer: Installer
  stop(): Promise<void>
}

/** Starts an installer that restores changed files without a delay. */
export function running(node: FakeNode = fakeNode(), options: Partial<InstallerOptions> = {}): Running {
  const mesh = installer({ ...node.options, rewriteMs: 0, ...options })
  const abort = new AbortController()
  const done = mesh.run({ signal: abort.signal })
  const stop = async (): Promise<void> => {
    abort.abort()
    await done
  }
  onTestFinished(async () => {
    await stop()
    node[Symbol.dispose]()
  })
  return { node, installer: mesh, stop }
}

/** Starts an installer, and waits until all its files are in place. */
export async function installed(node?: FakeNode, options?: Partial<InstallerOptions>): Promise<Running> {
  const one = running(node, options)
  await eventually(() => one.installer.status().ready, 'ready')
  return one
}
