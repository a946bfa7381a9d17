import type { IpFamily } from '@cni/types/ip'
import { formatAddress, networkAddress, parseAddress, parsePrefix } from '@cni/types/ip'
import { invalid } from './errors.ts'
import { rangeOf } from './spec.ts'
import type { AnyEntry, SetEntry, SetSpec } from './spec-types.ts'
import { checkComment, checkTimeout, isSetName } from './values.ts'

/** Validates an entry with its options against the set's spec. Returns the entry in canonical spelling. */
export function checkEntry(name: string, spec: SetSpec, entry: AnyEntry): SetEntry {
  const what = `set ${name}`
  if (typeof entry === 'string') return { entry: checkText(what, spec, entry) }
  const given: unknown = entry
  if (typeof given !== 'object' || given === null) invalid(`${what}: ${JSON.stringify(given)} is not an entry`)
  for (const key in entry) {
    if (!members.has(key))
      invalid(
        `${what}: an entry has no option ${JSON.stringify(key)}; options are entry, comment, timeoutSeconds, nomatch`,
      )
  }
  const text = checkText(what, spec, entry.entry)
  const { comment, timeoutSeconds, nomatch } = entry
  const where = `${what}, entry ${text}`
  if (comment !== undefined && spec.comment !== true)
    invalid(`${where}: a comment needs comment: true in the set's spec`)
  if (timeoutSeconds !== undefined && spec.timeoutSeconds === undefined)
    invalid(`${where}: timeoutSeconds needs timeoutSeconds in the set's spec`)
  if (nomatch !== undefined && (typeof nomatch !== 'boolean' || (nomatch && !spec.type.startsWith('hash:net')))) {
    invalid(`${where}: nomatch must be true or false, and needs a hash:net type`)
  }
  return {
    entry: text,
    ...(comment !== undefined && { comment: checkComment(comment, where) }),
    ...(timeoutSeconds !== undefined && {
      timeoutSeconds: checkTimeout(timeoutSeconds, `${where}: timeoutSeconds`),
    }),
    ...(nomatch === true && { nomatch }),
  }
}

/**
 * Validates the text of an entry, such as `10.0.0.5`, against the set's type and family. Returns the canonical
 * spelling.
 */
export function checkText(what: string, spec: SetSpec, text: string): string {
  const checked = typeof text === 'string' ? canonicalText(spec, text) : undefined
  return checked ?? invalid(`${what}: ${JSON.stringify(text)} ${whyNot(spec, text)}`)
}

/** Canonical text of an entry, because `ipset` prints several spellings. `undefined` for invalid text. */
export function canonicalText(spec: SetSpec, text: string): string | undefined {
  switch (spec.type) {
    case 'hash:ip':
      return address(text, spec.family)
    case 'hash:net':
      return network(text, spec.family)
    case 'hash:ip,port':
    case 'hash:net,port': {
      const [, host, proto = '', port] = /^([^,]*),(\w+):(\d+)$/.exec(text) ?? []
      const protocol = protocols.get(proto.toLowerCase())
      if (host === undefined || port === undefined || protocol === undefined || !isPort(port)) return undefined
      const place = spec.type === 'hash:ip,port' ? address(host, spec.family) : network(host, spec.family)
      return place && `${place},${protocol}:${port}`
    }
    case 'hash:mac':
      // Rejects the hardware address 00:00:00:00:00:00, which the kernel does not store.
      return /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(text) && !/^[0:]*$/.test(text) ? text.toLowerCase() : undefined
    case 'list:set':
      return isSetName(text) ? text : undefined
    case 'bitmap:port': {
      const [from, to] = rangeOf(spec)
      return isPort(text) && Number(text) >= from && Number(text) <= to ? text : undefined
    }
  }
}

/** Text of an entry for `ipset`, with a numeric protocol because /etc/protocols may be missing. */
export function entryWords({ entry, timeoutSeconds, comment, nomatch }: SetEntry): string {
  const at = entry.lastIndexOf(',')
  const proto = at === -1 ? undefined : /^,([a-z]+):/.exec(entry.slice(at))?.[1]
  const number = proto === undefined ? undefined : protocolNumbers.get(proto)
  let words =
    number === undefined ? entry : `${entry.slice(0, at)},${number}${entry.slice(at + 1 + (proto ?? '').length)}`
  if (timeoutSeconds !== undefined) words += ` timeout ${timeoutSeconds}`
  if (nomatch === true) words += ' nomatch'
  if (comment !== undefined) words += ` comment "${comment}"`
  return words
}

/** Number of an IP protocol that is given as a name or as a number. */
export const protocolNumber = (word: string): number => protocolNumbers.get(word) ?? Number(word)

/** Name of an IP protocol. Returns the number if this package does not know the name. */
export const protocolWord = (number: number): string => protocols.get(String(number)) ?? String(number)

// internal

const members = new Set(['entry', 'comment', 'timeoutSeconds', 'nomatch'])

const protocolNumbers: ReadonlyMap<string, number> = new Map<string, number>([
  ['tcp', 6],
  ['udp', 17],
  ['sctp', 132],
  ['udplite', 136],
])
const protocols: ReadonlyMap<string, string> = new Map(
  [...protocolNumbers].flatMap(([name, number]) => [
    [name, name],
    [String(number), name],
  ]),
)

const isPort = (text: string) => /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65535

/** Canonical address of an entry. Rejects the zero address, which hash sets do not store. */
function address(text: string, family: IpFamily): string | undefined {
  const bytes = parseAddress(text)
  if (bytes?.length !== (family === 'ipv4' ? 4 : 16) || bytes.every((byte) => byte === 0)) return undefined
  // The text of an IPv4 address stays unchanged, because `parseAddress` accepts only its canonical spelling.
  return family === 'ipv4' ? text : formatAddress(bytes)
}

function network(text: string, family: IpFamily): string | undefined {
  const prefix = parsePrefix(text)
  if (prefix?.bytes.length !== (family === 'ipv4' ? 4 : 16) || prefix.length === 0) return undefined
  const bare = formatAddress(networkAddress(prefix))
  return prefix.length === prefix.bytes.length * 8 ? bare : `${bare}/${prefix.length}`
}

function whyNot(spec: SetSpec, text: string): string {
  switch (spec.type) {
    case 'bitmap:port':
      return `is not a port from ${rangeOf(spec).join(' to ')}`
    case 'list:set':
      return "is not a set's name"
    case 'hash:mac':
      return 'is not a hardware address, such as 02:00:00:00:00:01'
    default: {
      const bytes = parsePrefix(String(text).split(',')[0] ?? '')?.bytes.length
      const family = spec.family === 'ipv4' ? 'IPv4' : 'IPv6'
      if (bytes !== undefined && bytes !== (spec.family === 'ipv4' ? 4 : 16)) {
        return `is ${bytes === 4 ? 'IPv4' : 'IPv6'}, but the set is for ${family}; use two sets`
      }
      const sample = spec.family === 'ipv4' ? '10.0.0.5' : 'fd00::5'
      const net = spec.type.startsWith('hash:net')
      const port = spec.type.endsWith(',port') ? ',tcp:80' : ''
      const example = `such as ${sample}${net ? (spec.family === 'ipv4' ? '/24' : '/64') : ''}${port}`
      const hint = net ? 'instead of /0 use two networks of /1' : 'a network needs a hash:net set'
      return `is not one ${family} ${net ? 'network' : 'address'}${port && ' with protocol and port'}, ${example}; ${hint}`
    }
  }
}
