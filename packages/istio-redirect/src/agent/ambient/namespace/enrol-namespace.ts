import type { PodCapture } from '@cni/istio-rules'
import { replyRoute } from '@cni/istio-rules'
import { type NetnsTarget, openRtnl, type Rtnl, readFile } from '@cni/netns'
import type { ApplyPlan } from '../../../backend.ts'
import { localRoute, markRule, type NetworkItem } from '../../../namespace/policy-route.ts'
import { hasLegacyTables } from '../rules/foreign-rules.ts'
import { type InstalledRules, installedRules, type RulesOptions } from '../rules/installed-rules.ts'
import { captureRules } from './capture-rules.ts'

/** Result of {@link enrolNamespace}, which installs the rules in a pod's network namespace. */
export interface EnrolReport {
  /** Changes of the redirection rules in the pod's namespace, without the changes of routes. */
  readonly plan: ApplyPlan
  /** Kernel's count of nf_tables changes in the pod's namespace. An equal count means equal rules. */
  readonly generation?: number | undefined
  /** Routes and policy rules that the enrolment added to the pod's namespace, as texts. */
  readonly added: readonly string[]
}

/** Redirects a pod's traffic to ztunnel's sockets in the pod's namespace. Rolls back after a failure. */
export async function enrolNamespace(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<EnrolReport> {
  const place = await openPlace(netns, capture, options)
  using rtnl = await openRtnl(netns)
  const added: NetworkItem[] = []
  try {
    for (const item of place.items) {
      if (await isAdded(item, rtnl)) added.push(item)
    }
    const { plan, generation } = await place.rules.apply()
    for (const item of place.needless) await item.remove(rtnl)
    return { plan, generation, added: added.map(({ what }) => what) }
  } catch (error) {
    await takeBack(netns, added, error)
    throw error
  }
}

/** Describes differences between a pod's namespace and the state that {@link enrolNamespace} installs. */
export async function namespaceDrift(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<string[]> {
  const { rules, items, needless } = await openPlace(netns, capture, options)
  return [...(await oddItems(netns, { items, needless })), ...(await rules.drift())]
}

/** Variant of {@link namespaceDrift} that compares only routes and policy rules. */
export async function uncountedDrift(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<string[]> {
  if (await hasLegacyTables(netns)) return namespaceDrift(netns, capture, options)
  return oddItems(netns, await openPlace(netns, capture, options))
}

/** Describes the objects in a pod's namespace that {@link releaseNamespace} would remove. */
export async function namespaceLeftovers(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<string[]> {
  const { rules, items, needless } = await openPlace(netns, capture, options)
  return [...(await oddItems(netns, { items: [], needless: [...items, ...needless] })), ...(await rules.present())]
}

/** Removes all routes, policy rules and redirection rules of ambient mode from a pod's namespace, for IPv4 and IPv6. */
export async function releaseNamespace(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<void> {
  const place = await openPlace(netns, capture, options)
  // Removes the redirection rules first, because marked packets need the routes.
  await place.rules.remove()
  await removeItems(netns, place)
}

/** Removes only objects that certainly belong to ambient mode, because the pod may have a sidecar. */
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
  /** Routes and policy rules that the pod's namespace must have, in the order of their creation. */
  readonly items: readonly NetworkItem[]
  /** Routes and policy rules that enrolments with other settings may have added. */
  readonly needless: readonly NetworkItem[]
}

async function openPlace(netns: NetnsTarget, capture: PodCapture, options: RulesOptions): Promise<Place> {
  const disabled = (await readFile(netns, '/proc/sys/net/ipv6/conf/lo/disable_ipv6'))?.trim()
  // A missing file `disable_ipv6` means that the kernel has no IPv6.
  const possible = { ...capture, ipv6: capture.ipv6 && disabled !== undefined }
  const [route4, rule4] = [localRoute('ipv4', replyRoute), markRule('ipv4', replyRoute)]
  const [route6, rule6] = [localRoute('ipv6', replyRoute), markRule('ipv6', replyRoute)]
  // The kernel refuses an IPv6 route over a loopback interface on which IPv6 is disabled.
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

/** Adds a route or policy rule without a prior check, because most namespaces are new. */
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
    throw new AggregateError([first, second], 'cannot undo the changes in the namespace')
  }
}
