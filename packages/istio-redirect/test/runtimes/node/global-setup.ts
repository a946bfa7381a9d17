import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from '@cni/host'
import { openRtnl } from '@cni/netns'
import { throwAway } from './throw-away.ts'

/** Before the first test: what runtimes and plugins write at fixed places stays in the node, and its network works. */
export async function setup(): Promise<void> {
  const { folder } = throwAway()
  const [upper, work] = ['upper', 'work'].map((name) => join(folder, name))
  for (const path of [upper, work]) mkdirSync(path ?? '')
  await coverRun()
  // Not hidden but covered: who knows what else is in there.
  const layers = `lowerdir=/var/lib,upperdir=${upper},workdir=${work}`
  await run(['mount', '-t', 'overlay', '-o', layers, 'overlay', '/var/lib'])
  using rtnl = await openRtnl('host')
  await rtnl.setLinkUp('lo')
  // Nobody else has the pods' addresses, and an IPv6 address is of no use until a second has gone into asking.
  for (const scope of ['all', 'default']) writeFileSync(`/proc/sys/net/ipv6/conf/${scope}/accept_dad`, '0')
}

/** A new /run; where /etc/resolv.conf points into the old one, runtimes still find what they copy into each pod. */
async function coverRun(): Promise<void> {
  const resolvConf = existsSync('/etc/resolv.conf') ? realpathSync('/etc/resolv.conf') : ''
  const text = resolvConf.startsWith('/run/') ? readFileSync(resolvConf) : undefined
  await run(['mount', '-t', 'tmpfs', '-o', 'mode=0755', 'tmpfs', '/run'])
  if (text === undefined) return
  mkdirSync(dirname(resolvConf), { recursive: true })
  writeFileSync(resolvConf, text)
}
