import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomic } from '@cni/host'

/** What plugins of a node are told, those of Istio 1.19 too: all of it is written at once. */
export interface SharedConfig {
  /** Whether a ztunnel serves the node. */
  readonly ztunnelReady: boolean
  readonly redirectMode: 'iptables' | 'ebpf'
}

/**
 * Writes it, for everybody to read; its folder is made.
 *
 * @throws `WriteError`, or that of the folder.
 */
export function writeSharedConfig(path: string, { ztunnelReady, redirectMode }: SharedConfig): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileAtomic(path, `${JSON.stringify({ ztunnelReady, redirectMode })}\n`, { mode: 0o644 })
}

/** Plugins take it that there is no ztunnel. */
export const removeSharedConfig = (path: string): void => rmSync(path, { force: true })
