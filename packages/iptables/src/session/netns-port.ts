import { realpathSync } from 'node:fs'
import { findExecutable } from '@cni/host'
import { isNetnsError, type NetnsTarget, nssShield, readFile, start as startIn } from '@cni/netns'
import { hasOwnUsers } from '@cni/netns/enter'
import type { Place } from '@cni/netns/handle'
import { tryLoadSys } from '@cni/netns/sys'
import { isNftError, type Nft, openNft } from '@cni/nftables/wire'
import { errnoOf } from '@cni/types'
import { IptablesError } from '../errors.ts'
import { kernelRefusal } from '../netlink/refusal.ts'
import { watchCommits } from '../run/commit-watch.ts'
import { privilegeHint } from '../run/hints.ts'
import type { Generation, IptablesPort, IptablesPortOptions } from '../run/port.ts'
import { ProbeCache } from '../run/probe-cache.ts'
import { warnOnce } from '../run/warn-once.ts'

/** Real implementation of `IptablesPort`: runs the node's iptables programs inside a network namespace. */
export function netnsPort(context: Place, options: { readonly shield: boolean }): IptablesPort {
  const target = context.netns
  const shield = options.shield && target !== 'host' ? nssShield() : undefined
  const onShieldError = (error: unknown) =>
    warnOnce(context.log, 'iptables runs without its shield from nsswitch.conf', { error: String(error) })
  const env = childEnvironment(target === 'host' ? undefined : target.path)
  const start = (
    argv: readonly [string, ...string[]],
    { input, signal, timeout }: IptablesPortOptions,
    inherit: readonly number[] = [],
  ) =>
    startIn(target, argv, {
      env,
      signal,
      timeout,
      inherit,
      ...(input === undefined ? undefined : { input }),
      ...(shield === undefined ? undefined : { shield, onShieldError }),
    })
  return {
    run: (argv, options) => start(argv, options).done,
    async runUntilCommitted(argv, options) {
      using watch = watchCommits(target)
      const begun = performance.now()
      const { pid, done } = start(argv, options, watch === undefined ? [] : [watch.fd])
      if (watch === undefined || pid === undefined) return await done
      const committed = watch.committed(pid, options.commits)
      return await Promise.race([done, committed.then(() => ({ stdout: '', durationMs: performance.now() - begun }))])
    },
    read: (path) => readInside(target, path),
    find: (program) => findExecutable(program),
    resolve: (path) => realpathSync(path),
    nfnetlink: () => openRules(target),
    async generation() {
      return counterOf(target)
    },
    probed: () => cache.get(target),
    remember: (found) => cache.set(target, found),
  }
}

// internal

const cache = /* @__PURE__ */ new ProbeCache()

/** Opens a netlink socket to nf_tables, or returns `undefined` if iptables programs are needed. */
function openRules(target: NetnsTarget): Nft | undefined {
  if (tryLoadSys() === undefined || (target !== 'host' && hasOwnUsers(target))) return undefined
  try {
    return openNft(target)
  } catch (error) {
    if (isNftError(error) && error.code === 'UNSUPPORTED') return undefined
    throw error
  }
}

/**
 * Opens the kernel's counter of nf_tables changes, which also counts changes by other programs. Needs the FFI of
 * `@cni/netns`.
 */
function counterOf(target: NetnsTarget): Generation {
  const nft = openNft(target)
  const current = () => {
    try {
      return nft.generation()
    } catch (error) {
      throw kernelRefusal(error, [])
    }
  }
  return { current, close: () => nft.close() }
}

async function readInside(target: NetnsTarget, path: string): Promise<string | undefined> {
  try {
    return await readFile(target, path)
  } catch (error) {
    const errno = errnoOf(error)
    // Adds advice to the error only if the kernel denied the read.
    if (isNetnsError(error) || (errno !== 'EACCES' && errno !== 'EPERM')) throw error
    throw new IptablesError('DENIED', `${path} cannot be read (${errno}); ${privilegeHint}`, { cause: error })
  }
}

/** Environment of an iptables program, with a lock file for each namespace except the node's. */
function childEnvironment(ownFile: string | undefined): NodeJS.ProcessEnv {
  const { PATH, XTABLES_LIBDIR, XTABLES_LOCKFILE = '' } = process.env
  const lockFile = ownFile ?? XTABLES_LOCKFILE
  return {
    ...(PATH === undefined ? undefined : { PATH }),
    ...(XTABLES_LIBDIR === undefined ? undefined : { XTABLES_LIBDIR }),
    // iptables before version 1.8.6 ignores XTABLES_LOCKFILE and locks the node's file.
    ...(lockFile === '' ? undefined : { XTABLES_LOCKFILE: lockFile }),
  }
}
