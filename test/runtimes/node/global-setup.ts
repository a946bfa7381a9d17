import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from '@cni/host'
import { openRtnl } from '@cni/netns'
import { throwAway } from './throw-away.ts'

/** Prepares the test node: mounts new folders over fixed ones, and sets up the network. */
export async function setup(): Promise<void> {
  const { folder } = throwAway()
  const [upper, work] = ['upper', 'work'].map((name) => join(folder, name))
  for (const path of [upper, work]) mkdirSync(path ?? '')
  await coverRun()
  // Mounts an overlay over /var/lib, in which the files of other programs stay visible.
  const layers = `lowerdir=/var/lib,upperdir=${upper},workdir=${work}`
  await run(['mount', '-t', 'overlay', '-o', layers, 'overlay', '/var/lib'])
  using rtnl = await openRtnl('host')
  await rtnl.setLinkUp('lo')
  // Turns off duplicate address detection, because it takes a second and the pods have unique addresses.
  for (const scope of ['all', 'default']) writeFileSync(`/proc/sys/net/ipv6/conf/${scope}/accept_dad`, '0')
}

/** Mounts a new /run, but keeps the target of /etc/resolv.conf, which container runtimes copy. */
async function coverRun(): Promise<void> {
  const resolvConf = existsSync('/etc/resolv.conf') ? realpathSync('/etc/resolv.conf') : ''
  const text = resolvConf.startsWith('/run/') ? readFileSync(resolvConf) : undefined
  await run(['mount', '-t', 'tmpfs', '-o', 'mode=0755', 'tmpfs', '/run'])
  if (text === undefined) return
  mkdirSync(dirname(resolvConf), { recursive: true })
  writeFileSync(resolvConf, text)
}
