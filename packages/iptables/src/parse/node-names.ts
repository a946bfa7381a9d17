import { protocolNumbers } from '@cni/types/packet'

/** Id of a user or group by name, from the node's files, as iptables reads them. Returns unknown names unchanged. */
export function accountId(file: 'passwd' | 'group', name: string): string {
  if (/^\d/.test(name)) return name
  return records(`/etc/${file}`, ':').find((fields) => fields[0] === name)?.[2] ?? name
}

/** Number of a protocol by any name that iptables accepts or prints. Returns unknown names unchanged. */
export function protocolId(name: string): string {
  if (/^\d/.test(name)) return name
  const known = protocols().get(name.toLowerCase())
  return known === undefined ? (inFile().find((fields) => fields[0] === name)?.[1] ?? name) : String(known)
}

/** Name by which iptables prints a protocol, or its number if it has no name. */
export function protocolName(number: number): string {
  const names = namesOf()
  const known = names.get(number) ?? inFile().find((fields) => fields[1] === String(number))?.[0]
  const name = known ?? String(number)
  names.set(number, name)
  return name
}

// internal

/**
 * iptables uses the names of the node's file. There, ipip is another protocol than the kernel's tunnels of that name.
 */
const protocols = (): ReadonlyMap<string, number> => {
  byName ??= new Map([...protocolNumbers, ['ipip', 94]])
  return byName
}

/** If the node's file has several names for one number, the first name counts. */
const namesOf = (): Map<number, string> => {
  byNumber ??= new Map([...protocols()].reverse().map(([name, number]) => [number, name]))
  return byNumber
}

// The map is computed at its first use: most rulesets name two protocols and are never compared.
let byName: ReadonlyMap<string, number> | undefined
let byNumber: Map<number, string> | undefined

const inFile = () => records('/etc/protocols', /\s+/).filter(([name]) => name?.startsWith('#') === false)

function records(path: string, separator: string | RegExp): string[][] {
  try {
    // `node:fs` is loaded at the first use, because this module also runs without Node.js.
    return process
      .getBuiltinModule('node:fs')
      .readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.split(separator))
  } catch {
    // If the file is missing, or without Node.js, only the names in this package are known.
    return []
  }
}
