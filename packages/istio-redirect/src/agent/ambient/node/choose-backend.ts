import { ipset, isSetError } from '@cni/ipset'
import { type IptablesBackend, type IptablesOptions, iptables, isIptablesError } from '@cni/iptables'
import { probeSetNames } from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import { isNftError, openNft } from '@cni/nftables/wire'
import { messageOf } from '@cni/types'
import { type Backend, iptablesBackend } from '../../../backend.ts'
import { hasOthersLegacyRules } from '../rules/legacy-rules.ts'
import { ipsetNames } from './address-set.ts'
import { readStoredBackend, storeBackend } from './stored-backend.ts'

/** Settings that determine the back end (iptables variant or native nftables). */
export interface BackendSettings {
  readonly nativeNftables: boolean
  /** iptables variant that the settings force. `''` means the variant that the node uses. */
  readonly forced: '' | 'nft' | 'legacy'
  readonly ipv6: boolean
}

/** Network namespace and state file that {@link chooseBackend} reads to choose the back end. */
export interface BackendInputs {
  /** Network namespace of the node. Default: the namespace that this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /** Path of the file that stores the chosen back end, see `backendFile`. */
  readonly stateFile: string
}

/** Chosen back end for the rules of the node and of all its pods. */
export interface BackendChoice {
  readonly backend: Backend
  /** Reason why this back end was chosen, in a few words, for the log. */
  readonly why: string
  /** Warnings about the choice of the back end, as sentences for the log. */
  readonly warnings: readonly string[]
}

/**
 * Chooses the back end of ambient mode. Ignores rules of this project, because each start must choose the same back
 * end.
 *
 * @throws `IptablesError('NO_BINARY')` if the forced iptables variant is not installed, or if no variant is installed.
 */
export async function chooseBackend(settings: BackendSettings, inputs: BackendInputs): Promise<BackendChoice> {
  if (!settings.nativeNftables) return chooseIptables(settings.forced, inputs)
  const { isPossible, warnings } = await nativePossible(inputs, settings)
  if (isPossible) return { backend: 'nftables', why: 'NATIVE_NFTABLES is true', warnings }
  const chosen = await chooseIptables(settings.forced, inputs)
  return { ...chosen, warnings: [...warnings, ...chosen.warnings] }
}

/** Chooses the iptables variant for an agent that cannot write rules with nftables, as {@link chooseBackend} does. */
export async function chooseIptables(
  forced: BackendSettings['forced'],
  { netns = 'host', stateFile }: BackendInputs,
): Promise<BackendChoice & { readonly backend: IptablesBackend }> {
  const warnings: string[] = []
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      warnings.push(messageOf(error))
      return undefined
    }
  }
  const asked = iptablesBackend(forced)
  if (asked !== undefined) {
    return {
      backend: await iptables(netns, { backend: asked }).backend(),
      why: `FORCE_IPTABLES_BINARY is ${forced}`,
      warnings,
    }
  }
  const before = attempt(() => readStoredBackend(stateFile))
  const { backend, why } = await unforced(netns, before)
  if (backend !== before) attempt(() => storeBackend(stateFile, backend))
  return { backend, why, warnings }
}

// internal

async function nativePossible({ netns = 'host' }: BackendInputs, { ipv6 }: BackendSettings) {
  const warnings: string[] = []
  try {
    const names = await ipsetNames(ipset(netns))
    const families = ipv6 ? (['ipv4', 'ipv6'] as const) : (['ipv4'] as const)
    const isLeft = families.some((family) => names.includes(probeSetNames[family]))
    if (isLeft) return { isPossible: false, warnings: [ARTIFACTS] }
  } catch (error) {
    if (!isSetError(error)) throw error
    warnings.push(`cannot check for iptables artifacts of an earlier start: ${error.message}`)
  }
  try {
    using nft = openNft(netns)
    nft.generation()
  } catch (error) {
    const why = `nftables is unavailable, using iptables instead: ${messageOf(error)}`
    return { isPossible: false, warnings: [...warnings, why] }
  }
  return { isPossible: true, warnings }
}

const ARTIFACTS =
  'iptables artifacts detected (IPsets exist). Overriding nftables configuration and using iptables until the node reboots'

async function unforced(
  netns: NetnsTarget,
  before: IptablesBackend | undefined,
): Promise<{ readonly backend: IptablesBackend; readonly why: string }> {
  if (before !== undefined && (await isUsable(netns, before)))
    return { backend: before, why: 'an earlier start chose it' }
  const hasLegacy = await isUsable(netns, 'iptables-legacy')
  if (hasLegacy && (await hasOthersLegacyRules(netns)))
    return { backend: 'iptables-legacy', why: 'other programs have rules in it' }
  if (await isUsable(netns, 'iptables-nft', 'always'))
    return { backend: 'iptables-nft', why: 'no other program has rules in iptables-legacy' }
  if (hasLegacy) return { backend: 'iptables-legacy', why: 'iptables-nft is not installed' }
  return { backend: await iptables(netns, { backend: 'iptables-nft' }).backend(), why: 'no iptables is installed' }
}

/** True if the node can use the iptables variant. */
async function isUsable(
  netns: NetnsTarget,
  backend: IptablesBackend,
  programs: IptablesOptions['programs'] = 'auto',
): Promise<boolean> {
  try {
    await iptables(netns, { backend, programs }).backend()
    return backend === 'iptables-legacy' || hasNftables(netns)
  } catch (error) {
    if (isIptablesError(error) && error.code === 'NO_BINARY') return false
    throw error
  }
}

function hasNftables(netns: NetnsTarget): boolean {
  try {
    using nft = openNft(netns)
    return nft.generation() >= 0
  } catch (error) {
    // Treats all errors except `UNSUPPORTED` as support, because the iptables programs report missing support.
    return !(isNftError(error) && error.code === 'UNSUPPORTED')
  }
}
