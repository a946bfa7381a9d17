import { NetnsError } from '../handle/netns-error.ts'

/**
 * The path of a setting below `/proc/sys`, as its parts. Both forms: `net/ipv4/ip_forward` and `net.ipv4.ip_forward`.
 * With dots, the name of a link may have dots itself (`net.ipv4.conf.eth0.100.rp_filter`), or have them written as
 * slashes, as sysctl(8) does (`net.ipv4.conf.eth0/100.rp_filter`).
 * Throws `NetnsError('INVALID')` for what is no name, or leads elsewhere.
 */
export function sysctlPath(name: string): readonly string[] {
  if (typeof name !== 'string' || name.length > 255) throw refused(name, 'expected one like net.ipv4.ip_forward')
  const parts = partsOf(name)
  if (parts.some((part) => part === '' || part === '.' || part === '..' || !isPlain(part))) {
    throw refused(name, 'expected one like net.ipv4.ip_forward')
  }
  // Everything else is one for the whole node, whatever namespace one is in.
  if (parts[0] !== 'net' || parts.length < 2) throw refused(name, 'only what begins with net. belongs to a namespace')
  return parts
}

/** The usual text of a setting, for tables and messages: with slashes, which no link's name has. */
export function sysctlKey(name: string): string {
  return sysctlPath(name).join('/')
}

// net, ipv4 or ipv6 or mpls, then these: the name of a link, or all, or default
const PER_LINK = new Set(['conf', 'neigh'])

function partsOf(name: string): string[] {
  // As sysctl(8) decides: by whichever comes first.
  const isDotted = name.search(/[./]/) === name.indexOf('.') && name.includes('.')
  if (!isDotted) return name.split('/')
  const parts = name.split('.').map((part) => part.replaceAll('/', '.'))
  const [net = '', family = '', kind = '', ...rest] = parts
  if (!PER_LINK.has(kind) || rest.length < 3) return parts
  return [net, family, kind, rest.slice(0, -1).join('.'), rest.at(-1) ?? '']
}

/** Neither a separator nor something that no file has. */
function isPlain(part: string): boolean {
  for (const character of part) if (character === '/' || character <= ' ' || character === '\u007f') return false
  return true
}

function refused(name: unknown, hint: string): NetnsError {
  return new NetnsError('INVALID', `Not a sysctl of a network namespace: ${JSON.stringify(name) ?? name}; ${hint}`)
}
