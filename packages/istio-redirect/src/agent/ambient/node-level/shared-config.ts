import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomic } from '@cni/host'

/**
 * Content of the file that plugins on the node read, including the plugins of Istio 1.19. The file is replaced as a
 * whole.
 */
export interface SharedConfig {
  /** True if a ztunnel serves the node. */
  readonly ztunnelReady: boolean
  readonly redirectMode: 'iptables' | 'ebpf'
}

/**
 * Writes the file, readable for all users, and creates its folder.
 *
 * @throws `WriteError`, or the error of the folder.
 */
export function writeSharedConfig(path: string, { ztunnelReady, redirectMode }: SharedConfig): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileAtomic(path, `${JSON.stringify({ ztunnelReady, redirectMode })}\n`, { mode: 0o644 })
}

/** Removes the file. Without it, plugins assume that no ztunnel is ready. */
export const removeSharedConfig = (path: string): void => rmSync(path, { force: true })
