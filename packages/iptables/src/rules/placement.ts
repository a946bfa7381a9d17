import { invalid } from '../errors.ts'
import { type Family, families, isBuiltin, type Match, type Rule, type Ruleset, rulesFor, type Table } from './model.ts'

/** Refuses a rule whose target or conditions the kernel does not accept in the rule's table and built-in chain. */
export function checkPlacement(rule: Rule): void {
  const { target } = rule
  const limits = targetLimits[target.target]
  if (limits?.tables !== undefined && !limits.tables.includes(rule.table)) {
    refuse(rule, `${target.target} exists in table ${limits.tables.join(' and ')} only`)
  }
  if (target.target === 'DROP' && rule.table === 'nat') {
    refuse(rule, 'the nat table does not filter, DROP is not possible in it')
  }
  if (!isBuiltin(rule.table, rule.chain)) return
  for (const { what, hooks } of bounds(rule)) {
    if (!hooks.includes(rule.chain)) {
      refuse(rule, `${what} is possible in ${hooks.join(' and ')} and in own chains called from there`)
    }
  }
  for (const { match } of rule.matches) {
    if (match === 'in' && (rule.chain === 'OUTPUT' || rule.chain === 'POSTROUTING')) {
      refuse(rule, 'in() is not possible: packets have no incoming interface there')
    }
    if (match === 'out' && (rule.chain === 'PREROUTING' || rule.chain === 'INPUT')) {
      refuse(rule, 'out() is not possible: packets have no outgoing interface there')
    }
  }
}

/** Checks that all built-in chains that jump to a user-defined chain allow its rules. */
export function checkReach(rules: Ruleset): void {
  const bound = rules.rules.filter((rule) => !isBuiltin(rule.table, rule.chain) && bounds(rule).length > 0)
  if (bound.length === 0) return
  for (const family of families) {
    const routes = new Map<Table, Routes>()
    for (const rule of bound) {
      if (rule.family !== undefined && rule.family !== family) continue
      const found = routes.get(rule.table) ?? routesOf(rules, rule.table, family)
      routes.set(rule.table, found)
      for (const { what, hooks } of bounds(rule)) {
        const wrong = [...(found.get(rule.chain) ?? [])].find((hook) => !hooks.includes(hook))
        if (wrong === undefined) continue
        refuse(rule, `${what} is possible in ${hooks.join(' and ')} only, but ${wrong} leads to this chain (${family})`)
      }
    }
  }
}

/** Throws an `INVALID_RULE` error whose message starts with the rule's table and chain. */
export function refuse(rule: Rule, why: string): never {
  const kind = isBuiltin(rule.table, rule.chain) ? '' : ' (own chain)'
  return invalid(`${rule.table} ${rule.chain}${kind}: ${why}`)
}

// internal

interface TargetLimits {
  readonly tables?: readonly Table[]
  readonly hooks?: readonly string[]
}

interface Bound {
  readonly what: string
  readonly hooks: readonly string[]
}

/** Map from the name of a user-defined chain to the built-in chains from which jumps lead to it. */
type Routes = ReadonlyMap<string, ReadonlySet<string>>

const local = ['OUTPUT', 'POSTROUTING']

/** Conditions that the kernel accepts only in some built-in chains, with the names of these chains. */
const matchHooks: Readonly<Partial<Record<Match['match'], readonly string[]>>> = {
  uid: local,
  gid: local,
  socketExists: local,
  mac: ['PREROUTING', 'INPUT', 'FORWARD'],
  socket: ['PREROUTING', 'INPUT'],
}

/** Tables and hooks in which this package allows a target: those that even old kernels allow. */
const targetLimits: Readonly<Record<string, TargetLimits>> = {
  REDIRECT: { tables: ['nat'], hooks: ['PREROUTING', 'OUTPUT'] },
  DNAT: { tables: ['nat'], hooks: ['PREROUTING', 'OUTPUT'] },
  SNAT: { tables: ['nat'], hooks: ['POSTROUTING', 'INPUT'] },
  MASQUERADE: { tables: ['nat'], hooks: ['POSTROUTING'] },
  TPROXY: { tables: ['mangle'], hooks: ['PREROUTING'] },
  CT: { tables: ['raw'] },
  REJECT: { tables: ['filter'] },
  TCPMSS: { tables: ['mangle', 'filter'] },
}

const clampHooks = ['FORWARD', 'OUTPUT', 'POSTROUTING']

/** Finds the parts of a rule that the kernel accepts only at some hooks. */
function bounds({ matches, target }: Rule): readonly Bound[] {
  const found: Bound[] = []
  for (const { match } of matches) {
    const hooks = matchHooks[match]
    if (hooks !== undefined) found.push({ what: `${match}()`, hooks })
  }
  const hooks = target.target === 'TCPMSS' && target.mss === 'pmtu' ? clampHooks : targetLimits[target.target]?.hooks
  if (hooks !== undefined) found.push({ what: target.target, hooks })
  return found
}

/** Finds the built-in chains from which packets can reach each user-defined chain. */
function routesOf(rules: Ruleset, table: Table, family: Family): Routes {
  const calls = new Map<string, Set<string>>()
  for (const { table: of, chain, target } of rulesFor(rules, family)) {
    if (of !== table || (target.target !== 'jump' && target.target !== 'goto')) continue
    const called = calls.get(chain) ?? new Set<string>()
    calls.set(chain, called.add(target.chain))
  }
  const routes = new Map<string, Set<string>>()
  for (const hook of calls.keys()) {
    if (!isBuiltin(table, hook)) continue
    const open = [hook]
    for (let chain = open.pop(); chain !== undefined; chain = open.pop()) {
      for (const next of calls.get(chain) ?? []) {
        const hooks = routes.get(next) ?? new Set<string>()
        routes.set(next, hooks)
        if (hooks.has(hook)) continue
        hooks.add(hook)
        open.push(next)
      }
    }
  }
  return routes
}
