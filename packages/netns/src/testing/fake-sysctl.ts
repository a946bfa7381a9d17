import type { NetnsTarget } from '../handle/netns.ts'
import { NetnsError } from '../handle/netns-error.ts'
import { placeOf, type Where } from '../handle/where.ts'
import { sysctlKey, sysctlPath } from '../sysctl/name.ts'
import type { SysctlPort } from '../sysctl/port.ts'
import { sameValue, valueText } from '../sysctl/value.ts'
import { sysctlWithUndo } from '../sysctl/with-undo.ts'

/**
 * Replacement for `sysctl()` in tests, without a kernel and without root. Names, results and errors are as with
 * `sysctl()`. Every namespace has the given settings. A link has each setting that the test gives for `all` or
 * `default`. A setting with a number accepts only numbers; other values throw `EINVAL`.
 *
 * @example
 * ```ts
 * import { fakeSysctl } from '@cni/netns/testing'
 *
 * const settings = fakeSysctl({ 'net.ipv4.ip_forward': 0, 'net.ipv4.conf.default.rp_filter': 0 })
 * export const change = await settings.set('net.ipv4.conf.eth0.rp_filter', 2) // { changed: true, previous: '0' }
 * ```
 */
export function fakeSysctl(values: Readonly<Record<string, string | number | boolean>> = {}): SysctlPort & {
  /** Fake of the function `sysctl`. The fake supports undo steps and has separate settings for each namespace. */
  open(where: Where): SysctlPort
} {
  const initial = new Map(Object.entries(values).map(([name, value]) => [sysctlKey(name), valueText(name, value)]))
  const namespaces = new Map<string, Map<string, string>>()
  const portTo = (target: NetnsTarget): SysctlPort => {
    const key = target === 'host' ? target : `${target.dev}:${target.ino}`
    const settings = namespaces.get(key) ?? new Map(initial)
    namespaces.set(key, settings)
    return portFrom(settings)
  }
  const open = (where: Where): SysctlPort => {
    const { netns, undo } = placeOf(where, 'sysctl')
    return undo === undefined ? portTo(netns) : sysctlWithUndo(portTo(netns), undo)
  }
  return { ...portTo('host'), open }
}

function portFrom(settings: Map<string, string>): SysctlPort {
  const currentOf = (name: string): string | undefined => {
    const own = settings.get(sysctlKey(name))
    const [net, family, kind, , ...setting] = sysctlPath(name)
    if (own !== undefined || (kind !== 'conf' && kind !== 'neigh')) return own
    const of = (link: string) => settings.get([net, family, kind, link, ...setting].join('/'))
    return of('default') ?? of('all')
  }
  return {
    async get(name) {
      return currentOf(name)
    },
    async set(name, value) {
      const text = valueText(name, value)
      const previous = currentOf(name)
      const what = `Set sysctl ${JSON.stringify(name)} to ${JSON.stringify(text)}`
      if (previous === undefined)
        throw new NetnsError('ENOENT', `${what}: ENOENT, the fake lacks the setting; pass it to fakeSysctl()`)
      if (sameValue(previous, text)) return { changed: false, previous }
      if (isNumber(previous) && !isNumber(text))
        throw new NetnsError('EINVAL', `${what}: EINVAL, the kernel refuses the value`)
      settings.set(sysctlKey(name), text)
      return { changed: true, previous }
    },
  }
}

const isNumber = (text: string): boolean => /^\s*-?\d+(\s+-?\d+)*\s*$/.test(text)
