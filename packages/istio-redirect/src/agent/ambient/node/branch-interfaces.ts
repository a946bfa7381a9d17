import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mutex } from '@cni/host'
import { type NetnsTarget, type NewPolicyRule, openRtnl, type Rtnl } from '@cni/netns'
import { formatAddress, type IpFamily, parseAddress, unmapAddress } from '@cni/types/ip'

/** Policy rules for probes to pods on AWS branch interfaces, which have their own route tables. */
export interface BranchInterfaces {
  /** Adds policy rules for addresses of a pod. Returns the addresses that are on an AWS branch interface. */
  add(addresses: readonly string[]): Promise<string[]>
  /** Removes the policy rules for these addresses of a pod. Errors are ignored. */
  remove(addresses: readonly string[]): Promise<void>
  /** Removes all policy rules for AWS branch interfaces that this object has added. */
  removeAll(): Promise<void>
}

/** True if probes to AWS branch interfaces need policy rules, because early demux is off. */
export function needsBranchRoutes(hostProc: string): boolean {
  try {
    return readFileSync(join(hostProc, 'sys/net/ipv4/tcp_early_demux'), 'utf8').startsWith('0')
  } catch {
    return false
  }
}

/** Creates the manager of the policy rules for AWS branch interfaces of a node. */
export function branchInterfaces(netns: NetnsTarget = 'host'): BranchInterfaces {
  const added = new Map<string, readonly NewPolicyRule[]>()
  const exclusive = mutex()
  const forget = async (addresses: readonly string[]): Promise<void> => {
    const rules = addresses.flatMap((address) => added.get(address) ?? [])
    for (const address of addresses) added.delete(address)
    if (rules.length === 0) return
    using rtnl = await openRtnl(netns)
    for (const rule of rules) await rtnl.deleteRule(rule).catch(() => {})
  }
  return {
    add: (addresses) =>
      exclusive(async () => {
        using rtnl = await openRtnl(netns)
        const found: string[] = []
        for (const address of canonical(addresses)) {
          const rules = added.get(address) ?? (await rulesFor(rtnl, address))
          if (rules === undefined) continue
          await addBoth(rtnl, rules)
          added.set(address, rules)
          found.push(address)
        }
        return found
      }),
    remove: (addresses) => exclusive(() => forget(canonical(addresses))),
    removeAll: () => exclusive(() => forget([...added.keys()])),
  }
}

// internal

const TO_POD_PRIORITY = 512
const LOCAL_TABLE = 255
/** Numbers of the routing tables that the kernel itself uses: unspecified, default, main, local. */
const KERNELS_TABLES = [0, 253, 254, 255]

/** Builds the policy rules for probes to a pod's address from its AWS branch interface's rules. */
async function rulesFor(rtnl: Rtnl, address: string): Promise<readonly NewPolicyRule[] | undefined> {
  const family: IpFamily = address.includes(':') ? 'ipv6' : 'ipv4'
  const host = `${address}/${family === 'ipv4' ? 32 : 128}`
  for (const { iif, table, priority } of await rtnl.getRules(family)) {
    if (iif === undefined || KERNELS_TABLES.includes(table)) continue
    const link = await rtnl.getLink(iif)
    const routes = link === undefined ? [] : await rtnl.getRoutes({ family, table })
    if (!routes.some(({ cidr, linkIndex }) => cidr === host && linkIndex === link?.index)) continue
    return [
      { family, to: host, table, priority: TO_POD_PRIORITY },
      { family, iif, table: LOCAL_TABLE, priority: Math.max(priority - 1, 0) },
    ]
  }
  return undefined
}

/** Adds the two policy rules of an address. After a failure, removes the rule that it added. */
async function addBoth(rtnl: Rtnl, rules: readonly NewPolicyRule[]): Promise<void> {
  const mine: NewPolicyRule[] = []
  try {
    for (const rule of rules) if ((await rtnl.addRule(rule)).added) mine.push(rule)
  } catch (error) {
    for (const rule of mine) await rtnl.deleteRule(rule)
    throw error
  }
}

const canonical = (addresses: readonly string[]): string[] =>
  addresses.flatMap((text) => {
    const bytes = parseAddress(text)
    return bytes === undefined ? [] : [formatAddress(unmapAddress(bytes))]
  })
