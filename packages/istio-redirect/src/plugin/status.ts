import { iptables, isIptablesError } from '@cni/iptables'
import { loadKubeconfig } from '@cni/kube'
import { openNft } from '@cni/nftables/wire'
import type { StatusContext } from '@cni/skel'
import { CniError, ErrorCode, messageOf } from '@cni/types'
import type { Conf } from '../conf/conf.ts'
import { type Settings, settingsOf } from '../conf/settings.ts'
import { warnAboutSettings } from '../conf/warn-settings.ts'

/** Handles STATUS. A missing kubeconfig is normal until the agent has started. */
export async function status(c: StatusContext<Conf>): Promise<void> {
  const settings = settingsOf(c.conf)
  warnAboutSettings(c.log, c.conf, settings)
  await requireBackend(c)
  try {
    requireKubeconfig(settings)
  } catch (error) {
    const problem = messageOf(error)
    if (settings.statusMode === 'strict') throw new CniError(ErrorCode.pluginNotAvailable, problem, { cause: error })
    c.log.warn(`pods of the mesh cannot start now: ${problem}`)
  }
}

async function requireBackend(c: StatusContext<Conf>): Promise<void> {
  if (c.conf.native_nftables === true) return requireNftables()
  try {
    await iptables({ netns: 'host', signal: c.signal }).backend()
  } catch (cause) {
    if (!isIptablesError(cause)) throw cause
    throw new CniError(ErrorCode.pluginNotAvailable, `no usable iptables: ${cause.message}`, { cause })
  }
}

function requireNftables(): void {
  try {
    using nft = openNft('host')
    nft.generation()
  } catch (cause) {
    throw new CniError(ErrorCode.pluginNotAvailable, `no usable nf_tables: ${messageOf(cause)}`, { cause })
  }
}

function requireKubeconfig({ kubeconfig }: Settings): void {
  if (kubeconfig === undefined) throw new Error('cni_agent_run_dir is not set, so there is no kubeconfig')
  loadKubeconfig(kubeconfig)
}
