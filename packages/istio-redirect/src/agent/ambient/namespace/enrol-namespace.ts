import type { PodCapture } from '@cni/istio-rules'
import { replyRoute } from '@cni/istio-rules'
import { type NetnsTarget, openRtnl, type Rtnl, readFile } from '@cni/netns'
import { localRoute, markRule, type NetworkItem } from '../../../namespace/policy-route.ts'
import {
  hasLegacyTables,
  type InstalledRules,
  installedRules,
  type RulesOptions,
  type RulesPlan,
} from '../rules/installed-rules.ts'
import { captureRules } from './capture-rules.ts'

/** What {@link enrolNamespace} did. */
export interface EnrolReport {
  /** Of the rules; `unchanged` says nothing about routes. */
  readonly plan: RulesPlan
  /** The kernel's count of changes of nf_tables since then, where it is known: as long as it counts so the rules are there. */
  readonly generation?: number | undefined
  /** What was added to the network besides, in words. */
  readonly added: readonly string[]
  readonly durationMs: number
}

/**
 * Leads the traffic of a pod's namespace to the ztunnel that listens in it: the routes by which answers come back to
 * ztunnel, the policy rules that lead to them, then the rules. What is there already is left alone, what differs is put
 * right, and when anything fails nothing of this call stays.
 */
export async function enrolNamespace(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<EnrolReport> {
  const started = performance.now()
  const place = await openPlace(netns, capture, options)
  using rtnl = await openRtnl(netns)
  const added: NetworkItem[] = []
  try {
    for (const item of place.items) {
      if (await isAdded(item, rtnl)) added.push(item)
    }
    const { plan, generation } = await place.rules.apply()
    for (const item of place.needless) await item.remove(rtnl)
    return { plan, generation, added: added.map(({ what }) => what), durationMs: performance.now() - started }
  } catch (error) {
    await takeBack(netns, added, error)
    throw error
  }
}

/** What in a pod's namespace is not as {@link enrolNamespace} would leave it, in words; nothing when all is well. */
export async function namespaceDrift(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<string[]> {
  const { rules, items, needless } = await openPlace(netns, capture, options)
  return [...(await oddItems(netns, { items, needless })), ...(await rules.drift())]
}

/** The same where nf_tables has not been changed since all was well: only what the kernel does not count is looked at. */
export async function uncountedDrift(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<string[]> {
  if (await hasLegacyTables(netns)) return namespaceDrift(netns, capture, options)
  return oddItems(netns, await openPlace(netns, capture, options))
}

/** What {@link releaseNamespace} would take out of a pod's namespace, in words. */
export async function namespaceLeftovers(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<string[]> {
  const { rules, items, needless } = await openPlace(netns, capture, options)
  return [...(await oddItems(netns, { items: [], needless: [...items, ...needless] })), ...(await rules.present())]
}

/** Takes everything out of a pod's namespace again, of both families whatever they were enrolled with. */
export async function releaseNamespace(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<void> {
  const place = await openPlace(netns, capture, options)
  // Packets that are marked already shall not lose their way before the rules that mark are gone.
  await place.rules.remove()
  await removeItems(netns, place)
}

/**
 * The same where a sidecar may have written rules, too: what only ambient mode writes goes, and nothing at all where
 * there is none of that.
 */
export async function releaseProven(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<void> {
  const place = await openPlace(netns, capture, options)
  if (await place.rules.removeProven()) await removeItems(netns, place)
}

// internal

interface Place {
  readonly rules: InstalledRules
  /** In the order in which they are added. */
  readonly items: readonly NetworkItem[]
  /** What an enrolment with other settings may have added. */
  readonly needless: readonly NetworkItem[]
}

async function openPlace(netns: NetnsTarget, capture: PodCapture, options: RulesOptions): Promise<Place> {
  const disabled = (await readFile(netns, '/proc/sys/net/ipv6/conf/lo/disable_ipv6'))?.trim()
  // Without the file the kernel has no IPv6 at all.
  const possible = { ...capture, ipv6: capture.ipv6 && disabled !== undefined }
  const [route4, rule4] = [localRoute('ipv4', replyRoute), markRule('ipv4', replyRoute)]
  const [route6, rule6] = [localRoute('ipv6', replyRoute), markRule('ipv6', replyRoute)]
  // The kernel refuses a route over an interface that has no IPv6.
  const of6 = disabled === undefined ? [] : disabled === '1' ? [rule6] : [route6, rule6]
  return {
    rules: installedRules(netns, captureRules(possible), options),
    items: [route4, rule4, ...(possible.ipv6 ? of6 : [])],
    needless: possible.ipv6 ? [] : of6,
  }
}

async function oddItems(netns: NetnsTarget, { items, needless }: Pick<Place, 'items' | 'needless'>): Promise<string[]> {
  using rtnl = await openRtnl(netns)
  const odd: string[] = []
  for (const item of items) if (!(await item.present(rtnl))) odd.push(`missing ${item.what}`)
  for (const item of needless) if (await item.present(rtnl)) odd.push(`unexpected ${item.what}`)
  return odd
}

async function removeItems(netns: NetnsTarget, { items, needless }: Place): Promise<void> {
  using rtnl = await openRtnl(netns)
  for (const item of [...items, ...needless].toReversed()) await item.remove(rtnl)
}

/** Most namespaces are new: what is there already is looked for only where the kernel says so. */
async function isAdded(item: NetworkItem, rtnl: Rtnl): Promise<boolean> {
  try {
    return (await item.add(rtnl)).added
  } catch (error) {
    if (await item.present(rtnl)) return false
    throw error
  }
}

async function takeBack(netns: NetnsTarget, added: readonly NetworkItem[], first: unknown): Promise<void> {
  if (added.length === 0) return
  try {
    using rtnl = await openRtnl(netns)
    for (const item of added.toReversed()) await item.remove(rtnl)
  } catch (second) {
    throw new AggregateError([first, second], 'the namespace could not be put back as it was')
  }
}
