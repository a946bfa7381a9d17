import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomic } from '@cni/host'

/** Config file for plugins on the node, which plugins of Istio 1.19 also read. */
export interface SharedConfig {
  /** True if a ztunnel gets the traffic of the node's pods. */
  readonly ztunnelReady: boolean
  readonly redirectMode: 'iptables' | 'ebpf'
}

/**
 * Writes the config file for plugins, readable for all users, and creates its folder.
 *
 * @throws `WriteError`, or the error of the folder's creation.
 */
export function writeSharedConfig(path: string, { ztunnelReady, redirectMode }: SharedConfig): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileAtomic(path, `${JSON.stringify({ ztunnelReady, redirectMode })}\n`, { mode: 0o644 })
}

/** Removes the config file for plugins. Plugins that find no file assume that no ztunnel is ready. */
export const removeSharedConfig = (path: string): void => rmSync(path, { force: true })
