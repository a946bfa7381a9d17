import { isNetnsError, type NetnsTarget, openRtnl, type Rtnl } from '@cni/netns'
import { CniError, ErrorCode } from '@cni/types'
import { PASS_THROUGH } from '../decide/captured-families.ts'
import type { RecordedNetwork } from '../state/attachments.ts'
import { localRoute, markRule, type NetworkItem } from './policy-route.ts'

export type { RecordedNetwork }

/** Reads the addresses of a namespace from the kernel, as `address/bits`. */
export async function addressesOf(netns: NetnsTarget): Promise<string[]> {
  using rtnl = await openRtnl(netns)
  return (await rtnl.getAddresses()).map(({ cidr }) => cidr)
}

/** Network settings that a redirected pod needs besides its rules: an address on `lo`, and policy routes for TPROXY. */
export interface NamespaceNetwork extends Disposable {
  /** Adds missing addresses and policy routes. Passes a rollback step for each to `undo`. */
  prepare(undo: (step: () => Promise<void>) => void): Promise<void>
}

/** Opens the netlink socket before any change, because a failure then needs no rollback. */
export async function openNetwork(netns: NetnsTarget, attachment: RecordedNetwork): Promise<NamespaceNetwork> {
  const required = requiredItems(attachment)
  if (required.length === 0) return { prepare: async () => {}, [Symbol.dispose]() {} }
  const rtnl = await openOrExplain(netns, attachment)
  return {
    async prepare(undo) {
      for (const item of required) {
        if (await item.present(rtnl)) continue
        undo(async () => {
          using again = await openRtnl(netns)
          await item.remove(again)
        })
        await item.add(rtnl)
      }
    },
    [Symbol.dispose]: () => rtnl.close(),
  }
}

/** Describes the addresses and policy routes that a pod's redirection needs, but that the pod's namespace lacks. */
export async function missingFromNamespace(netns: NetnsTarget, attachment: RecordedNetwork): Promise<string[]> {
  const required = requiredItems(attachment)
  if (required.length === 0) return []
  using rtnl = await openRtnl(netns)
  const missing: string[] = []
  for (const item of required) if (!(await item.present(rtnl))) missing.push(`missing ${item.what}`)
  return missing
}

/** Removes the addresses and routes of an attachment that the attachment `next` does not need. */
export async function removeFromNamespace(
  netns: NetnsTarget,
  attachment: RecordedNetwork,
  next?: RecordedNetwork,
): Promise<void> {
  const kept = new Set(next === undefined ? [] : requiredItems(next).map(({ what }) => what))
  const unwanted = requiredItems(attachment).filter(({ what }) => !kept.has(what))
  if (unwanted.length === 0) return
  using rtnl = await openRtnl(netns)
  for (const item of unwanted.toReversed()) await item.remove(rtnl)
}

function requiredItems({ families, tproxy }: RecordedNetwork): NetworkItem[] {
  return [
    ...(families.includes('ipv6') ? [passThroughAddress] : []),
    ...(tproxy === null ? [] : families.flatMap((family) => [markRule(family, tproxy), localRoute(family, tproxy)])),
  ]
}

const passThroughAddress: NetworkItem = {
  what: `address ${PASS_THROUGH} on lo`,
  present: async (rtnl) =>
    (await rtnl.getAddresses({ link: 'lo', family: 'ipv6' })).some(({ cidr }) => cidr === PASS_THROUGH),
  add: addPassThrough,
  remove: (rtnl) => rtnl.deleteAddress('lo', PASS_THROUGH),
}

async function addPassThrough(rtnl: Rtnl): ReturnType<NetworkItem['add']> {
  try {
    return await rtnl.addAddress('lo', PASS_THROUGH)
  } catch (cause) {
    if (!isNetnsError(cause) || cause.code !== 'EACCES') throw cause
    throw new CniError(ErrorCode.ioFailure, `the IPv6 traffic of the pod cannot be captured: ${cause.message}`, {
      hint: 'net.ipv6.conf.lo.disable_ipv6 has to be 0 where another interface of the pod has IPv6',
      cause,
    })
  }
}

async function openOrExplain(netns: NetnsTarget, { tproxy }: RecordedNetwork): Promise<Rtnl> {
  try {
    return await openRtnl(netns)
  } catch (cause) {
    if (tproxy === null || !isNetnsError(cause) || cause.code !== 'NO_FFI') throw cause
    const key = 'sidecar.istio.io/interceptionMode'
    throw new CniError(ErrorCode.unsupportedField, `annotation ${key}: TPROXY is not possible here: ${cause.message}`, {
      cause,
    })
  }
}
