import type { PodCapture } from '@cni/istio-rules'
import { replyRoute } from '@cni/istio-rules'
import { type NetnsTarget, openRtnl, type Rtnl, readFile } from '@cni/netns'
import type { ApplyPlan } from '../../../backend.ts'
import { localRoute, markRule, type NetworkItem } from '../../../namespace/policy-route.ts'
import { type InstalledRules, installedRules, type RulesOptions } from '../rules/installed-rules.ts'
import { hasLegacyTables } from '../rules/legacy-rules.ts'
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
  const managed = await openManaged(netns, capture, options)
  using rtnl = await openRtnl(netns)
  const added: NetworkItem[] = []
  try {
    for (const item of managed.items) {
      if (await isAdded(item, rtnl)) added.push(item)
    }
    const { plan, generation } = await managed.rules.apply()
    for (const item of managed.obsolete) await item.remove(rtnl)
    return { plan, generation, added: added.map(({ what }) => what) }
  } catch (error) {
    await rollBack(netns, added, error)
    throw error
  }
}

/** Describes differences between a pod's namespace and the state that {@link enrolNamespace} installs. */
export async function namespaceDrift(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<string[]> {
  const { rules, items, obsolete } = await openManaged(netns, capture, options)
  return [...(await itemDrift(netns, { items, obsolete })), ...(await rules.drift())]
}

/** Variant of {@link namespaceDrift} that compares only routes and policy rules. */
export async function routeDrift(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<string[]> {
  if (await hasLegacyTables(netns)) return namespaceDrift(netns, capture, options)
  return itemDrift(netns, await openManaged(netns, capture, options))
}

/** Describes the objects in a pod's namespace that {@link releaseNamespace} would remove. */
export async function namespaceLeftovers(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<string[]> {
  const { rules, items, obsolete } = await openManaged(netns, capture, options)
  return [...(await itemDrift(netns, { items: [], obsolete: [...items, ...obsolete] })), ...(await rules.present())]
}

/** Removes all routes, policy rules and redirection rules of ambient mode from a pod's namespace, for IPv4 and IPv6. */
export async function releaseNamespace(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<void> {
  const managed = await openManaged(netns, capture, options)
  // Removes the redirection rules first, because marked packets need the routes.
  await managed.rules.remove()
  await removeItems(netns, managed)
}

/** Removes only objects that certainly belong to ambient mode, because the pod may have a sidecar. */
export async function releaseProven(
  netns: NetnsTarget,
  capture: PodCapture,
  options: RulesOptions = {},
): Promise<void> {
  const managed = await openManaged(netns, capture, options)
  if (await managed.rules.removeProven()) await removeItems(netns, managed)
}

// internal

interface ManagedObjects {
  readonly rules: InstalledRules
  /** Routes and policy rules that the pod's namespace must have, in the order of their creation. */
  readonly items: readonly NetworkItem[]
  /** Routes and policy rules that enrolments with other settings may have added. */
  readonly obsolete: readonly NetworkItem[]
}

async function openManaged(netns: NetnsTarget, capture: PodCapture, options: RulesOptions): Promise<ManagedObjects> {
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
    obsolete: possible.ipv6 ? [] : of6,
  }
}

async function itemDrift(
  netns: NetnsTarget,
  { items, obsolete }: Pick<ManagedObjects, 'items' | 'obsolete'>,
): Promise<string[]> {
  using rtnl = await openRtnl(netns)
  const drift: string[] = []
  for (const item of items) if (!(await item.present(rtnl))) drift.push(`missing ${item.what}`)
  for (const item of obsolete) if (await item.present(rtnl)) drift.push(`unexpected ${item.what}`)
  return drift
}

async function removeItems(netns: NetnsTarget, { items, obsolete }: ManagedObjects): Promise<void> {
  using rtnl = await openRtnl(netns)
  for (const item of [...items, ...obsolete].toReversed()) await item.remove(rtnl)
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

async function rollBack(netns: NetnsTarget, added: readonly NetworkItem[], first: unknown): Promise<void> {
  if (added.length === 0) return
  try {
    using rtnl = await openRtnl(netns)
    for (const item of added.toReversed()) await item.remove(rtnl)
  } catch (second) {
    throw new AggregateError([first, second], 'cannot undo the changes in the namespace')
  }
}
