import { NetnsError } from '../handle/netns-error.ts'

/**
 * Splits the name of a kernel setting into path parts below `/proc/sys`. Accepts the forms of sysctl(8):
 * - slashes: `net/ipv4/ip_forward`
 * - dots, also in the link's name: `net.ipv4.conf.eth0.100.rp_filter`
 * - dots, but slashes for the dots of the link's name: `net.ipv4.conf.eth0/100.rp_filter`
 */
export function sysctlPath(name: string): readonly string[] {
  if (typeof name !== 'string' || name.length > 255) throw refused(name, 'expected one like net.ipv4.ip_forward')
  const parts = partsOf(name)
  if (parts.some((part) => part === '' || part === '.' || part === '..' || !isPlain(part))) {
    throw refused(name, 'expected one like net.ipv4.ip_forward')
  }
  // Refuses settings outside `net`, because those settings belong to the whole node, not to one namespace.
  if (parts[0] !== 'net' || parts.length < 2) throw refused(name, 'only settings below net. belong to a namespace')
  return parts
}

/**
 * Returns the canonical name of a kernel setting. Slashes separate its parts, because link names never contain slashes.
 */
export function sysctlKey(name: string): string {
  return sysctlPath(name).join('/')
}

// Path parts after which the name of a link, `all` or `default` follows. Example: `conf` in net/ipv4/conf/eth0.
const PER_LINK = new Set(['conf', 'neigh'])

function partsOf(name: string): string[] {
  // The first dot or slash becomes the separator of the setting's whole name, as in sysctl(8).
  const isDotted = name.search(/[./]/) === name.indexOf('.') && name.includes('.')
  if (!isDotted) return name.split('/')
  const parts = name.split('.').map((part) => part.replaceAll('/', '.'))
  const [net = '', family = '', kind = '', ...rest] = parts
  if (!PER_LINK.has(kind) || rest.length < 3) return parts
  return [net, family, kind, rest.slice(0, -1).join('.'), rest.at(-1) ?? '']
}

/**
 * True if a part of a setting's name consists of valid characters. Slashes, spaces and control characters are invalid.
 */
function isPlain(part: string): boolean {
  for (const character of part) if (character === '/' || character <= ' ' || character === '\u007f') return false
  return true
}

function refused(name: unknown, hint: string): NetnsError {
  return new NetnsError('INVALID', `Invalid sysctl of a network namespace: ${JSON.stringify(name) ?? name}; ${hint}`)
}
