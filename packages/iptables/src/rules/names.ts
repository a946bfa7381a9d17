import { invalid } from '../errors.ts'
import { isBuiltin, type Table, tables } from './model.ts'

/** Validates a chain name, which iptables must not read as an option or target. */
export function checkChainName(table: Table, name: string): string {
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.][A-Za-z0-9_.:-]{0,27}$/.test(name)) {
    invalid(`chain ${JSON.stringify(name)}: 1 to 28 letters, digits or _ . : - are needed, and no leading - or :`)
  }
  if (tables.some((each) => isBuiltin(each, name))) {
    invalid(`chain ${name} in table ${table} is built in; declare own chains only`)
  }
  if (isExtensionTarget(name)) invalid(`chain ${name} in table ${table} has the name of a target`)
  return name
}

/** Validates an interface name. A trailing `+` is the wildcard of iptables. */
export function checkInterface(name: string, what: string): string {
  if (
    typeof name !== 'string' ||
    !/^(?!\.{1,2}$)[A-Za-z0-9_.][A-Za-z0-9_.:@%~=-]*\+?$/.test(name) ||
    name.length > 15
  ) {
    invalid(`${what}: ${JSON.stringify(name)} is not an interface name (1 to 15 characters, a wildcard + at the end)`)
  }
  return name
}

/** Validates a user or group: a number, a range of numbers, or a name as useradd(8) allows it. */
export function checkOwner(owner: number | string, what: string): string {
  const text = String(owner)
  // Most owners are numbers. The limit excludes 4294967295, which is (uid_t)-1, "no user".
  if (typeof owner === 'number' && Number.isInteger(owner) && owner >= 0 && owner <= 0xfffffffe) return text
  const range = /^(\d+)(?:-(\d+))?$/.exec(text)
  if (range === null) {
    if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/.test(text)) {
      invalid(`${what}: ${JSON.stringify(owner)} is not an id, a range such as 1000-2000, or a name`)
    }
    return text
  }
  const ids = range.slice(1).filter((id) => id !== undefined)
  for (const id of ids) {
    // Refuses a leading zero: iptables would read the number as octal.
    if (!/^(0|[1-9]\d*)$/.test(id) || Number(id) > 0xfffffffe) {
      invalid(`${what}: ${JSON.stringify(owner)} is out of range (0-4294967294, no leading zero)`)
    }
  }
  if (Number(ids[0]) > Number(ids[1] ?? ids[0])) invalid(`${what}: the range ${text} ends before it begins`)
  return text
}

/** Validates text that iptables stores in a rule (a comment, a log prefix): one line without control characters. */
export function checkText(text: string, maxBytes: number, what: string): string {
  if (typeof text !== 'string' || /\p{Cc}|\p{Cs}/u.test(text)) {
    invalid(`${what}: ${JSON.stringify(text)} has control characters or broken Unicode`)
  }
  const size = new TextEncoder().encode(text).length
  if (size > maxBytes) invalid(`${what}: ${size} bytes are too long, the kernel stores at most ${maxBytes}`)
  return text
}

/** True if iptables reads `NAME` in `-j NAME` as a verdict or an extension's target, not as a chain. */
export const isExtensionTarget = (name: string): boolean => targetNames.has(name)

const targetNames = new Set([
  ...['ACCEPT', 'DROP', 'RETURN', 'QUEUE', 'AUDIT', 'CHECKSUM', 'CLASSIFY', 'CLUSTERIP', 'CONNMARK', 'CONNSECMARK'],
  ...['CT', 'DNAT', 'DNPT', 'DSCP', 'ECN', 'HL', 'HMARK', 'IDLETIMER', 'LED', 'LOG', 'MARK', 'MASQUERADE', 'NETMAP'],
  ...['NFLOG', 'NFQUEUE', 'NOTRACK', 'RATEEST', 'REDIRECT', 'REJECT', 'SECMARK', 'SET', 'SNAT', 'SNPT', 'STANDARD'],
  ...['SYNPROXY', 'TCPMSS', 'TCPOPTSTRIP', 'TEE', 'TOS', 'TPROXY', 'TRACE', 'TTL', 'ULOG', 'standard'],
])
