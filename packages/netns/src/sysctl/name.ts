import { NetnsError } from '../handle/netns-error.ts'

/**
 * Parts of the path of a setting below `/proc/sys`. Accepts `net/ipv4/ip_forward` and `net.ipv4.ip_forward`. With dots,
 * the link's name may contain dots (`net.ipv4.conf.eth0.100.rp_filter`), or slashes instead, as in sysctl(8)
 * (`net.ipv4.conf.eth0/100.rp_filter`). Throws `NetnsError('INVALID')` for an invalid name or a path outside `net`.
 */
export function sysctlPath(name: string): readonly string[] {
  if (typeof name !== 'string' || name.length > 255) throw refused(name, 'expected one like net.ipv4.ip_forward')
  const parts = partsOf(name)
  if (parts.some((part) => part === '' || part === '.' || part === '..' || !isPlain(part))) {
    throw refused(name, 'expected one like net.ipv4.ip_forward')
  }
  // Settings outside `net` belong to the whole node, in every namespace.
  if (parts[0] !== 'net' || parts.length < 2) throw refused(name, 'only settings below net. belong to a namespace')
  return parts
}

/** Canonical text of a setting, for tables and messages: with slashes, which never occur in link names. */
export function sysctlKey(name: string): string {
  return sysctlPath(name).join('/')
}

// After these path parts comes a link's name, `all` or `default`: `conf` in net, ipv4, conf, eth0.
const PER_LINK = new Set(['conf', 'neigh'])

function partsOf(name: string): string[] {
  // The first separator decides if the name is dotted, as in sysctl(8).
  const isDotted = name.search(/[./]/) === name.indexOf('.') && name.includes('.')
  if (!isDotted) return name.split('/')
  const parts = name.split('.').map((part) => part.replaceAll('/', '.'))
  const [net = '', family = '', kind = '', ...rest] = parts
  if (!PER_LINK.has(kind) || rest.length < 3) return parts
  return [net, family, kind, rest.slice(0, -1).join('.'), rest.at(-1) ?? '']
}

/** True if the part contains no separator and no character that names of settings never contain. */
function isPlain(part: string): boolean {
  for (const character of part) if (character === '/' || character <= ' ' || character === '\u007f') return false
  return true
}

function refused(name: unknown, hint: string): NetnsError {
  return new NetnsError('INVALID', `Invalid sysctl of a network namespace: ${JSON.stringify(name) ?? name}; ${hint}`)
}
