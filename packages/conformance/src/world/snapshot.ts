import { readdirSync, readFileSync } from 'node:fs'
import { findExecutable } from '@cni/host'
import { type Netns, netns, openRtnl, type Rtnl } from '@cni/netns'
import { nftLines } from './nft-lines.ts'

/** Network state of a namespace, as lines of text that can be compared, and the values of its sysctls. */
export interface Snapshot {
  readonly lines: readonly string[]
  readonly sysctls: ReadonlyMap<string, string>
}

/** Lines of a namespace's network state that were added or removed between two snapshots. */
export interface Difference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

const LEGACY = ['iptables', 'ip6tables'] as const

/**
 * Reads the links, addresses, routes, rules, qdiscs, nftables and legacy iptables filters, and sysctls of a namespace.
 * Omits counters.
 */
export async function takeSnapshot(where: Netns): Promise<Snapshot> {
  using rtnl = await openRtnl(where)
  const [state, ...legacy] = await Promise.all([kernelState(rtnl), ...LEGACY.map((name) => legacyLines(where, name))])
  const sysctls = netns.run(where, readSysctls)
  const settings = [...sysctls].map(([name, value]) => `sysctl ${name} = ${value}`)
  return { lines: [...state, ...(await nftLines(where)), ...legacy.flat(), ...settings], sysctls }
}

/** Compares two snapshots of a namespace. Ignores sysctls of new links. */
export function difference(before: Snapshot, after: Snapshot): Difference {
  const added = surplus(after.lines, before.lines)
  const removed = surplus(before.lines, after.lines)
  const [come, gone] = [linksIn(added), linksIn(removed)]
  const ofLink = (line: string) => /^sysctl net\/ipv[46]\/conf\/(\S+)\//.exec(line)?.[1] ?? ''
  return {
    added: added.filter((line) => gone.has(ofLink(line)) || !come.has(ofLink(line))),
    removed: removed.filter((line) => come.has(ofLink(line)) || !gone.has(ofLink(line))),
  }
}

function linksIn(lines: readonly string[]): Set<string> {
  return new Set(lines.flatMap((line) => /^link (\S+)/.exec(line)?.[1] ?? []))
}

function surplus(lines: readonly string[], over: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const line of over) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}

async function kernelState(rtnl: Rtnl): Promise<string[]> {
  const links = await rtnl.getLinks()
  const names = new Map(links.map(({ index, name }) => [index, name]))
  const dev = (index: number | undefined) => (index === undefined ? '' : ` dev ${names.get(index) ?? '?'}`)
  const [addresses, routes, rules4, rules6, qdiscs] = await Promise.all([
    rtnl.getAddresses(),
    rtnl.getRoutes(),
    rtnl.getRules('ipv4'),
    rtnl.getRules('ipv6'),
    rtnl.getQdiscs(),
  ])
  return [
    ...links.map(
      ({ name, kind = '', mac = '', mtu, up, master }) =>
        `link ${name} ${up ? 'up' : 'down'} mtu ${mtu} ${kind} ${mac}${master === undefined ? '' : ` in${dev(master)}`}`,
    ),
    ...addresses.map(({ cidr, linkIndex }) => `address ${cidr}${dev(linkIndex)}`),
    ...routes.map(
      ({ destination, gateway, linkIndex, table, type }) =>
        `route ${type} ${destination}${gateway === undefined ? '' : ` via ${gateway}`}${dev(linkIndex)} table ${table}`,
    ),
    ...[...rules4, ...rules6].map((rule) => `rule ${JSON.stringify(rule)}`),
    // Skips qdiscs with the handle 0, which the kernel creates by default.
    ...qdiscs
      .filter(({ handle }) => handle !== '0:')
      .map(({ kind, linkIndex, parent }) => `qdisc ${kind} ${parent}${dev(linkIndex)}`),
  ].filter((line) => !isAutomatic(line))
}

/** True for local addresses and routes that the kernel adds asynchronously. */
function isAutomatic(line: string): boolean {
  return /^(address|route \S+) (fe80|ff00)::/.test(line) || /^(address|route \S+) (127\.|::1).* dev lo\b/.test(line)
}

async function legacyLines(where: Netns, name: (typeof LEGACY)[number]): Promise<string[]> {
  // Looks for legacy tables in /proc first, because `iptables-save` would create a missing table.
  if (!netns.run(where, () => hasLegacyTables(name))) return []
  const save = findExecutable(`${name}-legacy-save`)
  if (save === undefined) throw new Error(`There are legacy tables, and no ${name}-legacy-save to see them`)
  const { stdout } = await netns.exec(where, [save], { timeout: 10_000 })
  let table = ''
  return stdout.split('\n').flatMap((line) => {
    if (line.startsWith('*')) table = line.slice(1)
    if (!/^[:-]/.test(line)) return []
    if (/^:[A-Z]+ ACCEPT /.test(line)) return []
    return [`${name}-legacy ${table} ${line.replace(/\s*\[\d+:\d+\]$/, '')}`]
  })
}

function hasLegacyTables(name: (typeof LEGACY)[number]): boolean {
  try {
    const file = name === 'iptables' ? 'ip_tables_names' : 'ip6_tables_names'
    return readFileSync(`/proc/thread-self/net/${file}`, 'utf8').trim() !== ''
  } catch {
    // Returns false: a kernel without legacy iptables has no file with the names of legacy tables.
    return false
  }
}

const SYSCTL = '/proc/sys/net'
const SYSCTL_FOLDERS = ['ipv4', 'ipv6'] as const

function readSysctls(): Map<string, string> {
  const found = new Map<string, string>()
  const folders = SYSCTL_FOLDERS.flatMap((family) => [
    family,
    ...namesIn(`${SYSCTL}/${family}/conf`).map((link) => `${family}/conf/${link}`),
  ])
  for (const folder of folders) {
    for (const name of namesIn(`${SYSCTL}/${folder}`)) {
      const value = readOr(`${SYSCTL}/${folder}/${name}`)
      if (value !== undefined) found.set(`net/${folder}/${name}`, value)
    }
  }
  return found
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Returns no names: without IPv6, or after the link's removal, there is no such folder.
    return []
  }
}

function readOr(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    // Skips an unreadable entry of /proc/sys, such as `stable_secret` before it is set.
    return undefined
  }
}
