import { ipset, isSetError } from '@cni/ipset'
import { type IptablesBackend, type IptablesOptions, iptables, isIptablesError } from '@cni/iptables'
import { probeSetNames } from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import { isNftError, openNft } from '@cni/nftables/wire'
import { messageOf } from '@cni/types'
import { type Backend, iptablesBackend } from '../../../backend.ts'
import { hasForeignLegacyRules } from '../rules/foreign-rules.ts'
import { ipsetNames } from './address-set.ts'
import { rememberBackend, rememberedBackend } from './remembered-backend.ts'

/** Settings that decide about the back end. */
export interface BackendWish {
  readonly nativeNftables: boolean
  /** `''`: what the node uses. */
  readonly forced: '' | 'nft' | 'legacy'
  readonly ipv6: boolean
}

/** Namespace and file of the choice. */
export interface BackendPlace {
  /** The node's network namespace. Default: the one this process was started in. */
  readonly netns?: NetnsTarget | undefined
  /** Where the choice is remembered: `backendFile`. */
  readonly stateFile: string
}

/** A back end, for the node and for all of its pods. */
export interface BackendChoice {
  readonly backend: Backend
  /** A few words for the log. */
  readonly why: string
  /** What is odd, in sentences for the log. */
  readonly warnings: readonly string[]
}

/**
 * Chooses how the rules of ambient mode are written: natively when that was asked for and nothing of iptables is left
 * from before; else by the iptables that was asked for, that an earlier start chose, that others have rules in, that is
 * there. Rules of our own and empty tables do not count, and to look leaves nothing behind, so that the next start
 * chooses the same.
 *
 * @throws `IptablesError('NO_BINARY')` when the one that was asked for, or any, is not there.
 */
export async function chooseBackend(
  wish: BackendWish,
  { netns = 'host', stateFile }: BackendPlace,
): Promise<BackendChoice> {
  const { isPossible, warnings } = wish.nativeNftables ? await nativePossible(netns, wish) : NOT_ASKED
  if (isPossible) return { backend: 'nftables', why: 'NATIVE_NFTABLES is true', warnings }
  const chosen = await chooseIptables(netns, wish.forced, stateFile)
  return { ...chosen, warnings: [...warnings, ...chosen.warnings] }
}

// internal

interface Native {
  readonly isPossible: boolean
  readonly warnings: readonly string[]
}

const NOT_ASKED: Native = { isPossible: false, warnings: [] }

async function nativePossible(netns: NetnsTarget, { ipv6 }: BackendWish): Promise<Native> {
  const warnings: string[] = []
  try {
    const there = await ipsetNames(ipset(netns))
    const families = ipv6 ? (['ipv4', 'ipv6'] as const) : (['ipv4'] as const)
    const isLeft = families.some((family) => there.includes(probeSetNames[family]))
    if (isLeft) return { isPossible: false, warnings: [ARTIFACTS] }
  } catch (error) {
    if (!isSetError(error)) throw error
    warnings.push(`whether iptables artifacts are left from before cannot be told: ${error.message}`)
  }
  try {
    using nft = openNft(netns)
    nft.generation()
  } catch (error) {
    const why = `nftables cannot be used, iptables is used instead: ${messageOf(error)}`
    return { isPossible: false, warnings: [...warnings, why] }
  }
  return { isPossible: true, warnings }
}

const ARTIFACTS =
  'iptables artifacts detected (IPsets exist). Overriding nftables configuration and using iptables until the node is started again'

async function chooseIptables(
  netns: NetnsTarget,
  forced: BackendWish['forced'],
  stateFile: string,
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
    return { backend: await installed(netns, asked), why: `FORCE_IPTABLES_BINARY is ${forced}`, warnings }
  }
  const before = attempt(() => rememberedBackend(stateFile))
  const { backend, why } = await unforced(netns, before)
  if (backend !== before) attempt(() => rememberBackend(stateFile, backend))
  return { backend, why, warnings }
}

async function unforced(
  netns: NetnsTarget,
  before: IptablesBackend | undefined,
): Promise<{ readonly backend: IptablesBackend; readonly why: string }> {
  if (before !== undefined && (await isThere(netns, before)))
    return { backend: before, why: 'an earlier start chose it' }
  const hasLegacy = await isThere(netns, 'iptables-legacy')
  if (hasLegacy && (await hasForeignLegacyRules(netns)))
    return { backend: 'iptables-legacy', why: 'others have rules in it' }
  if (await isThere(netns, 'iptables-nft', 'always'))
    return { backend: 'iptables-nft', why: 'others have no rules in iptables-legacy' }
  if (hasLegacy) return { backend: 'iptables-legacy', why: 'iptables-nft is not installed' }
  return { backend: await installed(netns, 'iptables-nft'), why: 'no iptables is installed' }
}

async function installed(
  netns: NetnsTarget,
  backend: IptablesBackend,
  programs: IptablesOptions['programs'] = 'auto',
): Promise<IptablesBackend> {
  return iptables(netns, { backend, programs }).backend()
}

/** Whether its programs are there, and the kernel's part of it; `programs` are `always` wanted, or netlink does as well. */
async function isThere(
  netns: NetnsTarget,
  backend: IptablesBackend,
  programs: IptablesOptions['programs'] = 'auto',
): Promise<boolean> {
  try {
    await installed(netns, backend, programs)
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
    // Where it cannot be asked the programs have to know.
    return !(isNftError(error) && error.code === 'UNSUPPORTED')
  }
}
