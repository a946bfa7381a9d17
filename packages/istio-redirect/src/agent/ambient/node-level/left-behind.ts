import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import { type KernelSide, nodeSettings } from '@cni/istio-node-level'
import { type NetnsTarget, netns } from '@cni/netns'
import { messageOf } from '@cni/types'
import * as z from 'zod/mini'
import type { AmbientConfig, NodeLevelConfig } from '../../config/ambient-config.ts'
import type { ScopedLog } from '../../part/services.ts'
import { nodeLevelMark } from './node-level-mark.ts'
import { removeSharedConfig } from './shared-config.ts'

/** What says where the mark is, and what rules were written with. */
export type MarkedPlace = Pick<AmbientConfig, 'backendFile' | 'forceIptablesBinary'>

type Mode = NodeLevelConfig['mode']
type NodeSettings = ReadonlyMap<string, string>

/**
 * Remembers in the run directory that traffic is redirected on the node, and how: for an agent that is told to do it
 * otherwise. What another mode left is taken out first. Returns the settings of the node as they were before any agent
 * changed them. Throws when they can be neither read nor remembered.
 */
export async function markNodeLevel(
  place: MarkedPlace,
  { mode, configFile }: Pick<NodeLevelConfig, 'mode' | 'configFile'>,
  host: NetnsTarget,
  log: ScopedLog,
): Promise<NodeSettings> {
  const before = readMark(place)
  if (before !== undefined && before.mode !== mode) await removeLeftBehind(place, host, log)
  const settings = before?.settings ?? (await nodeSettings(host))
  const text = `${JSON.stringify({ mode, configFile, settings: Object.fromEntries(settings) })}\n`
  writeFileAtomic(nodeLevelMark(place), text, { mode: 0o600 })
  return settings
}

/** Nothing of it is left. */
export const unmarkNodeLevel = (place: MarkedPlace): void => rmSync(nodeLevelMark(place), { force: true })

/**
 * Takes out what an agent left for the next one, which redirects otherwise, or not at all; nothing where there is no mark.
 * Never rejects.
 */
export async function removeLeftBehind(place: MarkedPlace, host: NetnsTarget, log: ScopedLog): Promise<void> {
  const mark = readMark(place)
  if (mark === undefined) return
  try {
    const kernel = await leftSide(place, host, mark)
    await kernel?.stop()
    if (mark.configFile !== undefined) removeSharedConfig(mark.configFile)
    unmarkNodeLevel(place)
    log.info(`what redirected traffic on the node (${mark.mode}) is taken out`)
  } catch (error) {
    const text = `what redirected traffic on the node (${mark.mode}) cannot be taken out, and goes on`
    log.error(`${text}: ${messageOf(error)}`)
  }
}

/** Where {@link removeFromNode} works. */
export interface MarkedNode extends MarkedPlace {
  /** The node's network is that of its first process, and not that of this one. */
  readonly switchToHost: boolean
  /** The root of the node's files: `/host` in a pod. */
  readonly hostRoot: string
}

/** {@link removeLeftBehind} for who has not got the node's namespace open. Never rejects. */
export async function removeFromNode(node: MarkedNode, log: ScopedLog): Promise<void> {
  if (!existsSync(nodeLevelMark(node))) return
  try {
    using host = node.switchToHost ? netns.open(join(node.hostRoot, 'proc/1/ns/net')) : undefined
    await removeLeftBehind(node, host ?? 'host', log)
  } catch (error) {
    log.error(`what redirected traffic on the node cannot be taken out, and goes on: ${messageOf(error)}`)
  }
}

// internal

/** A setting is one that we change, with a value that it can have: whatever else a file says is written nowhere. */
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

/** One that cannot be read says at least that there was something. */
function readMark(place: MarkedPlace): Mark | undefined {
  if (!existsSync(nodeLevelMark(place))) return undefined
  try {
    const { settings, ...mark } = z.parse(markSchema(), JSON.parse(readFileSync(nodeLevelMark(place), 'utf8')))
    return { ...mark, settings: settings === undefined ? undefined : new Map(Object.entries(settings)) }
  } catch {
    return { mode: 'node-iptables', settings: undefined }
  }
}

async function leftSide(place: MarkedPlace, host: NetnsTarget, mark: Mark): Promise<KernelSide | undefined> {
  const { mode, settings } = mark
  if (mode === 'node-ebpf') {
    const { ebpfSide } = await import('@cni/istio-node-level')
    return ebpfSide({ netns: host, settings })
  }
  const { chooseBackend } = await import('../node/choose-backend.ts')
  const { forceIptablesBinary: forced, backendFile: stateFile } = place
  const { backend } = await chooseBackend({ nativeNftables: false, forced, ipv6: false }, { netns: host, stateFile })
  if (backend === 'nftables') return undefined
  const { iptablesSide } = await import('@cni/istio-node-level')
  return iptablesSide({ netns: host, hostIp: '0.0.0.0', tunnel: 'geneve', backend, settings })
}
