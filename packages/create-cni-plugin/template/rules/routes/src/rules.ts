import { type NewRoute, openRtnl } from '@cni/netns'
import type { Where } from '@cni/netns/handle'
import { CniError } from '@cni/types'
import * as z from 'zod/mini'

/**
 * Schema of the plugin's own members in the network configuration. `blocked` contains networks that pods must not
 * reach.
 */
export const settings = {
  blocked: z.array(z.union([z.cidrv4(), z.cidrv6()])),
}
/** Example configuration of the plugin, for tests and the agent. */
export const example = { blocked: ['10.9.0.0/16', 'fd00:9::/32'] }
export interface Settings {
  readonly blocked: readonly string[]
}

const METRIC = 50

/**
 * Routes of type `unreachable` to the blocked networks. The kernel rejects connections immediately, with an error to
 * the sender.
 */
export const routesOf = ({ blocked }: Settings): NewRoute[] =>
  blocked.map((cidr) => ({ cidr, type: 'unreachable', metric: METRIC }))

/** Adds the plugin's `unreachable` routes to a pod. On failure, rolls back all changes. */
export async function setUp(pod: Where, conf: Settings, open = openRtnl) {
  using rtnl = await open(pod)
  for (const route of routesOf(conf)) await rtnl.addRoute(route)
}

/** Throws an error with code 100 if the pod lacks routes that {@link setUp} adds. */
export async function verify(pod: Where, conf: Settings, open = openRtnl) {
  using rtnl = await open(pod)
  const there = (await rtnl.getRoutes()).filter(({ type }) => type === 'unreachable')
  const missing = conf.blocked.filter((cidr) => !there.some((route) => route.cidr === cidr && route.metric === METRIC))
  if (missing.length > 0) throw new CniError(100, `not blocked: ${missing.join(', ')}`)
}

/** Removes the plugin's `unreachable` routes from a pod. Missing routes are not an error. */
export async function tearDown(pod: Where, conf: Settings | undefined, open = openRtnl) {
  using rtnl = await open(pod)
  for (const route of conf === undefined ? [] : routesOf(conf)) await rtnl.deleteRoute(route)
}
