import type { NewPolicyRule, PolicyRule, Route, RtnlPort } from '@cni/netns'
import { tables } from '../names.ts'
import type { Step } from '../step.ts'
import { newRoute, type WantedRoute } from './network-plan.ts'
import { routeText, ruleText } from './network-text.ts'

/** Returns steps that make the reserved route tables contain exactly the wanted routes. */
export async function routeSteps(rtnl: RtnlPort, wanted: readonly WantedRoute[]): Promise<Step[]> {
  const there = await routesThere(rtnl)
  const present = new Set(there.map(({ text }) => text))
  const wantedTexts = new Set(wanted.map(routeText))
  const missing = wanted.filter((route) => !present.has(routeText(route)))
  const replaced = new Set(missing.map(keyOf))
  const needless = there.filter(({ text, route }) => !wantedTexts.has(text) && !isReplaced(route, replaced))
  return [
    ...missing.map((route) => ({
      what: `missing route ${routeText(route)}`,
      run: () => rtnl.replaceRoute(newRoute(route)),
    })),
    ...needless.map(({ text, route }) => ({ what: `unexpected route ${text}`, run: () => rtnl.deleteRoute(route) })),
  ]
}

/** Returns steps that add missing policy rules, and delete unexpected rules that look up reserved tables. */
export async function ruleSteps(rtnl: RtnlPort, wanted: readonly NewPolicyRule[]): Promise<Step[]> {
  const there = await rtnl.getRules('ipv4')
  const present = new Set(there.map(ruleText))
  const wantedTexts = new Set(wanted.map(ruleText))
  return [
    ...wanted
      .filter((rule) => !present.has(ruleText(rule)))
      .map((rule) => ({ what: `missing rule ${ruleText(rule)}`, run: () => rtnl.addRule(rule) })),
    ...there
      .filter((rule) => isOurs(rule, wanted) && !wantedTexts.has(ruleText(rule)))
      .map((rule) => ({ what: `unexpected rule ${ruleText(rule)}`, run: () => rtnl.deleteRule(rule) })),
  ]
}

/** Returns steps that delete the given policy rules, and all other rules that look up reserved tables. */
export async function removedRuleSteps(rtnl: RtnlPort, rules: readonly NewPolicyRule[]): Promise<Step[]> {
  const there = (await rtnl.getRules('ipv4')).filter((rule) => isOurs(rule, rules))
  return there.map((rule) => ({ what: `unexpected rule ${ruleText(rule)}`, run: () => rtnl.deleteRule(rule) }))
}

/** Lists the routes in the reserved route tables, each with its text for comparisons. */
export async function routesThere(rtnl: RtnlPort): Promise<{ readonly route: Route; readonly text: string }[]> {
  const [links, routes] = await Promise.all([rtnl.getLinks(), rtnl.getRoutes({ family: 'ipv4' })])
  const names = new Map(links.map(({ index, name }) => [index, name]))
  return routes.filter(({ table }) => isOurTable(table)).map((route) => ({ route, text: textOf(route, names) }))
}

/** True if a route table is reserved for this package. */
export const isOurTable = (table: number): boolean => Object.values(tables).some((each) => each === table)

// internal

/** Key of a route. The kernel replaces a route by a new route with an equal key. */
const keyOf = ({ table, to }: Pick<WantedRoute, 'table' | 'to'>): string => `${table} ${to}`

const isReplaced = ({ table, cidr, metric = 0 }: Route, replaced: ReadonlySet<string>): boolean =>
  metric === 0 && replaced.has(keyOf({ table, to: cidr }))

function textOf(route: Route, names: ReadonlyMap<number, string>): string {
  const { table, cidr, gateway, source, scope, type, metric, onlink, nexthops, other } = route
  const link = route.linkIndex === undefined ? undefined : (names.get(route.linkIndex) ?? `if${route.linkIndex}`)
  const text = routeText({
    table,
    to: cidr,
    gateway,
    source,
    link,
    type: type === 'unicast' ? undefined : String(type),
    scope: scope === 'universe' ? undefined : String(scope),
    onlink,
  })
  return [text, metric && `metric ${metric}`, nexthops && 'with several ways', other && 'with more']
    .filter(Boolean)
    .join(' ')
}

/** True if a policy rule belongs to this package. */
function isOurs(rule: PolicyRule, wanted: readonly NewPolicyRule[]): boolean {
  if (rule.goto === undefined) return isOurTable(rule.table)
  return wanted.some(({ goto, fwmark }) => goto === rule.goto && fwmark === rule.fwmark)
}
