import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import { errnoOf } from '@cni/types'
import { run } from '../enter/runner.ts'
import type { NetnsTarget } from '../handle/netns.ts'
import { NetnsError } from '../handle/netns-error.ts'
import { placeOf, type Where } from '../handle/where.ts'
import { sysctlPath } from './name.ts'
import type { SysctlPort } from './port.ts'
import { sameValue, valueText } from './value.ts'
import { sysctlWithUndo } from './with-undo.ts'

/**
 * Network settings of a namespace (`/proc/sys/net`). With the context of a plugin call, every change registers an undo
 * step. The undo step restores the previous value if a later step of ADD fails. In an undo step of your own, use
 * `sysctl(c.netns)`.
 *
 * @example
 * const settings = sysctl(c)
 * await settings.set('net.ipv4.conf.eth0.arp_notify', true) // { changed: true, previous: '0' }
 */
export function sysctl(where: Where): SysctlPort {
  const { netns, undo } = placeOf(where, 'sysctl')
  const port = kernelSysctl(netns)
  return undo === undefined ? port : sysctlWithUndo(port, undo)
}

function kernelSysctl(netns: NetnsTarget): SysctlPort {
  return {
    async get(name) {
      const path = pathOf(name)
      return run(netns, () => read(name, path))
    },
    async set(name, value) {
      const path = pathOf(name)
      const text = valueText(name, value)
      return run(netns, () => {
        const previous = readBefore(path)
        if (previous !== undefined && sameValue(previous, text)) return { changed: false, previous }
        write(name, path, text)
        return { changed: true, ...(previous === undefined ? {} : { previous }) }
      })
    },
  }
}

/** Returns the path of a network setting. `/proc/sys/net` shows the settings of the namespace of the reading thread. */
const pathOf = (name: string): string => `/proc/sys/${sysctlPath(name).join('/')}`

function read(name: string, path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trimEnd()
  } catch (cause) {
    const code = errnoOf(cause)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw failure(`Read sysctl ${JSON.stringify(name)}`, cause)
  }
}

/** Reads the value before a change. Returns `undefined` for a setting that cannot be read. */
function readBefore(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trimEnd()
  } catch {
    // Ignores the error of reading the setting, because writing the setting reports the problem.
    return undefined
  }
}

function write(name: string, path: string, text: string): void {
  try {
    const fd = openSync(path, constants.O_WRONLY)
    try {
      // Writes the value in one call. The kernel would treat a second call as a new value.
      writeSync(fd, `${text}\n`)
    } finally {
      closeSync(fd)
    }
  } catch (cause) {
    throw failure(`Set sysctl ${JSON.stringify(name)} to ${JSON.stringify(text)}`, cause)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'this kernel or this namespace lacks the setting; the settings of a link exist only while the link exists',
  ENOTDIR: 'this kernel or this namespace lacks the setting',
  EISDIR: 'it is a folder of settings',
  EACCES: 'it is read-only, or writing it requires root',
  EPERM: 'writing it requires root (CAP_NET_ADMIN)',
  EROFS: '/proc/sys is mounted read-only',
  EINVAL: 'the kernel refuses the value',
  ERANGE: 'the kernel refuses the value: out of range',
}

function failure(what: string, cause: unknown): NetnsError {
  const code = errnoOf(cause) ?? 'INVALID'
  const reason = reasons[code]
  const message = `${what}: ${code}${reason === undefined ? '' : `, ${reason}`}`
  return new NetnsError(code === 'ENOTDIR' ? 'ENOENT' : code, message, { cause })
}
