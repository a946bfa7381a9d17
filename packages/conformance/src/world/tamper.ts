import { writeFileSync } from 'node:fs'
import { findExecutable } from '@cni/host'
import { type Netns, netns, openRtnl, type Rtnl } from '@cni/netns'
import { openNft } from '@cni/nftables/wire'
import { type Difference, difference, type Snapshot } from './snapshot.ts'

/** Change that undoes a part of ADD's work, so that the plugin's CHECK must fail. */
export interface Tampering {
  /** Description of the change: `deleted the link eth0`. */
  readonly text: string
  apply(where: Netns): Promise<void>
}

/** All ways to undo parts of ADD's work in the pod. Compares snapshots from before and after ADD. */
export function tamperings(before: Snapshot, after: Snapshot): Tampering[] {
  const change = difference(before, after)
  return [...links(change), ...addresses(change), ...filters(change), ...sysctls(before, after, change)]
}

/** Ways to delete the packet filter rules that ADD added. */
export function filters({ added }: Difference): Tampering[] {
  const found: Tampering[] = []
  if (added.some((line) => line.startsWith('nft '))) {
    found.push({ text: 'flushed the nftables ruleset', apply: flushNft })
  }
  for (const tool of ['iptables', 'ip6tables']) {
    const prefix = `${tool}-legacy `
    const mine = added.filter((line) => line.startsWith(prefix))
    const tables = [...new Set(mine.map((line) => line.slice(prefix.length).split(' ')[0] ?? 'filter'))]
    if (tables.length === 0) continue
    found.push({
      text: `flushed the ${tool}-legacy tables ${tables.join(', ')}`,
      async apply(where) {
        for (const table of tables) await exec(where, `${tool}-legacy`, '-t', table, '-F')
      },
    })
  }
  return found
}

function links({ added, removed }: Difference): Tampering[] {
  const namesOf = (lines: readonly string[], state = '') =>
    lines
      .filter((line) => line.startsWith('link ') && line.includes(` ${state}`))
      .map((line) => line.split(' ')[1] ?? '')
  const before = namesOf(removed)
  const created = namesOf(added).filter((name) => !before.includes(name))
  const raised = namesOf(added, 'up ').filter((name) => namesOf(removed, 'down ').includes(name))
  return [
    ...created.map((name) => ({
      text: `deleted the link ${name}`,
      apply: (where: Netns) => withRtnl(where, async (rtnl) => void (await rtnl.deleteLink(name))),
    })),
    ...raised.map((name) => ({
      text: `set the link ${name} down`,
      apply: (where: Netns) => withRtnl(where, (rtnl) => rtnl.setLinkDown(name)),
    })),
  ]
}

/** Ways to delete addresses that ADD added. Skips addresses of links that ADD created or changed. */
function addresses({ added, removed }: Difference): Tampering[] {
  const touched = new Set(
    [...added, ...removed].filter((line) => line.startsWith('link ')).map((line) => line.split(' ')[1]),
  )
  return added.flatMap((line) => {
    const [, cidr, link] = /^address (\S+) dev (\S+)$/.exec(line) ?? []
    if (cidr === undefined || link === undefined || touched.has(link)) return []
    const apply = (where: Netns) => withRtnl(where, async (rtnl) => void (await rtnl.deleteAddress(link, cidr)))
    return [{ text: `deleted the address ${cidr} of ${link}`, apply }]
  })
}

function sysctls(before: Snapshot, after: Snapshot, { added }: Difference): Tampering[] {
  const changed = [...before.sysctls].filter(([name, value]) => (after.sysctls.get(name) ?? value) !== value)
  // Keeps sysctls if ADD created a link, because the kernel then changes sysctls itself.
  if (changed.length === 0 || added.some((line) => line.startsWith('link '))) return []
  const names = changed.map(([name]) => name)
  return [
    {
      text: `set ${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''} back`,
      async apply(where) {
        netns.run(where, () => {
          for (const [name, value] of changed) writeFileSync(`/proc/sys/${name}`, value)
        })
      },
    },
  ]
}

async function flushNft(where: Netns): Promise<void> {
  using nft = openNft(where)
  await nft.transact((batch) => {
    for (const table of nft.tables()) batch.deleteTable(table)
  })
}

async function withRtnl(where: Netns, body: (rtnl: Rtnl) => Promise<void>): Promise<void> {
  using rtnl = await openRtnl(where)
  await body(rtnl)
}

async function exec(where: Netns, name: string, ...args: string[]): Promise<void> {
  await netns.exec(where, [findExecutable(name) ?? name, ...args], { timeout: 10_000 })
}
