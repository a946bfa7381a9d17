import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Netns } from '../handle/netns.ts'
import { open } from '../handle/open.ts'
import { openRtnl } from '../rtnl/open-rtnl.ts'

/**
 * Creates an empty network namespace in a new user namespace. Pods with `hostUsers: false` have the same kind of
 * namespace. User 0 (root) of the user namespace is user 100000 of the node. The network namespace exists until its
 * disposal or the exit of this process.
 *
 * @example
 * await using pod = await ownedNetns()
 */
export async function ownedNetns(): Promise<Netns & AsyncDisposable> {
  // The owner of the namespace's files in /proc/net depends on the user maps.
  const users = await holderOf('user', ['unshare', '--user'])
  try {
    for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${users.pid}/${map}`, '0 100000 65536')
    const pod = await holderOf('net', ['nsenter', `--user=/proc/${users.pid}/ns/user`, 'unshare', '--net'])
    try {
      return await OwnedNetns.of(pod)
    } catch (error) {
      await end(pod)
      throw error
    }
  } finally {
    // The network namespace keeps the user namespace alive from now on.
    await end(users)
  }
}

class OwnedNetns extends Netns implements AsyncDisposable {
  readonly #holder: ChildProcess

  static async of(holder: ChildProcess): Promise<OwnedNetns> {
    const opened = open(`/proc/${holder.pid}/ns/net`)
    const owned = new OwnedNetns(opened, holder)
    using rtnl = await openRtnl(owned)
    await rtnl.setLinkUp('lo')
    return owned
  }

  constructor(opened: Netns, holder: ChildProcess) {
    super(opened.path, opened.fd, opened)
    this.#holder = holder
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    await end(this.#holder)
  }
}

/** Starts a process (`cat`) that keeps a new namespace alive until its pipe closes. */
async function holderOf(kind: 'user' | 'net', argv: readonly string[]): Promise<ChildProcess> {
  const [program = '', ...args] = argv
  const child = spawn(program, [...args, '--', 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] })
  await once(child, 'spawn')
  try {
    const here = readlinkSync(`/proc/self/ns/${kind}`)
    for (let tries = 0; readlinkSync(`/proc/${child.pid}/ns/${kind}`) === here; tries += 1) {
      if (tries === 500) throw new Error(`${argv.join(' ')} has not created a ${kind} namespace`)
      await delay(10)
    }
    return child
  } catch (error) {
    await end(child)
    throw error
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}
