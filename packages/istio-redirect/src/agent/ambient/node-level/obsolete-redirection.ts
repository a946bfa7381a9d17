import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import { type KernelSide, nodeSettings } from '@cni/istio-node-level'
import { type NetnsTarget, netns } from '@cni/netns'
import { messageOf } from '@cni/types'
import * as z from 'zod/mini'
import type { AmbientConfig, NodeLevelConfig } from '../../config/ambient-config.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import { nodeLevelMark } from './node-level-mark.ts'
import { removeSharedConfig } from './shared-config.ts'

/** Settings that locate the mark file and select the iptables variant of the redirection. */
export type MarkSettings = Pick<AmbientConfig, 'backendFile' | 'forceIptablesBinary'>

type Mode = NodeLevelConfig['mode']
type NodeSettings = ReadonlyMap<string, string>

/** Writes the mark file of node-level redirection for later agents. Returns the original sysctls. */
export async function markNodeLevel(
  config: MarkSettings,
  { mode, configFile }: Pick<NodeLevelConfig, 'mode' | 'configFile'>,
  host: NetnsTarget,
  log: ScopedLog,
): Promise<NodeSettings> {
  const before = readMark(config)
  if (before !== undefined && before.mode !== mode) await removeObsolete(config, host, log)
  const settings = before?.settings ?? (await nodeSettings(host))
  const text = `${JSON.stringify({ mode, configFile, settings: Object.fromEntries(settings) })}\n`
  writeFileAtomic(nodeLevelMark(config), text, { mode: 0o600 })
  return settings
}

/** Removes the mark file of node-level redirection. Callers must first remove the redirection itself. */
export const unmarkNodeLevel = (config: MarkSettings): void => rmSync(nodeLevelMark(config), { force: true })

/** Removes the node-level redirection of an earlier agent with another redirect mode. Never rejects. */
export async function removeObsolete(config: MarkSettings, host: NetnsTarget, log: ScopedLog): Promise<void> {
  const mark = readMark(config)
  if (mark === undefined) return
  try {
    const kernel = await obsoleteKernelSide(config, host, mark)
    await kernel.stop()
    if (mark.configFile !== undefined) removeSharedConfig(mark.configFile)
    unmarkNodeLevel(config)
    log.info(`removed the former redirection on the node (${mark.mode})`)
  } catch (error) {
    const text = `cannot remove the former redirection on the node (${mark.mode}), which stays active`
    log.error(`${text}: ${messageOf(error)}`)
  }
}

/**
 * Options of {@link removeFromNode}, which removes the node-level redirection that an earlier agent left on the node.
 */
export interface MarkedNode extends MarkSettings {
  /** True if the agent has its own network namespace, and must open the node's namespace. */
  readonly switchToHost: boolean
  /** Root of the node's files, `/host` in a pod of the agent. */
  readonly hostRoot: string
}

/** Variant of {@link removeObsolete} that opens the node's network namespace itself. */
export async function removeFromNode(node: MarkedNode, log: ScopedLog): Promise<void> {
  if (!existsSync(nodeLevelMark(node))) return
  try {
    using host = node.switchToHost ? netns.open(join(node.hostRoot, 'proc/1/ns/net')) : undefined
    await removeObsolete(node, host ?? 'host', log)
  } catch (error) {
    log.error(`cannot remove the former redirection on the node, which stays active: ${messageOf(error)}`)
  }
}

// internal

/** Schema of the mark file. Accepts only known sysctls, because the agent writes their values. */
const markSchema = () =>
  z.object({
    mode: z.enum(['node-iptables', 'node-ebpf']),
    configFile: z.optional(z.string().check(z.startsWith('/'))),
    settings: z.optional(
      z.record(
        z.string().check(z.regex(/^net\/ipv4\/conf\/(?:all|default)\/rp_filter$/)),
        z.string().check(z.regex(/^[0-2]$/)),
      ),
    ),
  })

interface Mark {
  readonly mode: Mode
  readonly configFile?: string | undefined
  readonly settings: NodeSettings | undefined
}

/** Reads the mark file of node-level redirection. Even an invalid file proves that redirection exists. */
function readMark(config: MarkSettings): Mark | undefined {
  if (!existsSync(nodeLevelMark(config))) return undefined
  try {
    const { settings, ...mark } = z.parse(markSchema(), JSON.parse(readFileSync(nodeLevelMark(config), 'utf8')))
    return { ...mark, settings: settings === undefined ? undefined : new Map(Object.entries(settings)) }
  } catch {
    return { mode: 'node-iptables', settings: undefined }
  }
}

async function obsoleteKernelSide(config: MarkSettings, host: NetnsTarget, mark: Mark): Promise<KernelSide> {
  const { mode, settings } = mark
  if (mode === 'node-ebpf') {
    const { ebpfSide } = await import('@cni/istio-node-level')
    return ebpfSide({ netns: host, settings })
  }
  const { chooseIptables } = await import('../node/choose-backend.ts')
  const { forceIptablesBinary: forced, backendFile: stateFile } = config
  const { backend } = await chooseIptables(forced, { netns: host, stateFile })
  const { iptablesSide } = await import('@cni/istio-node-level')
  return iptablesSide({ netns: host, hostIp: '0.0.0.0', tunnel: 'geneve', backend, settings })
}
