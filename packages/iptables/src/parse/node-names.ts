import { protocolNumbers } from '@cni/types/packet'

/** The id of a user or group by name, from the node's files as iptables itself reads them; unknown names stay. */
export function accountId(file: 'passwd' | 'group', name: string): string {
  if (/^\d/.test(name)) return name
  return records(`/etc/${file}`, ':').find((fields) => fields[0] === name)?.[2] ?? name
}

/** The number of a protocol that iptables takes or prints by that name; unknown names stay. */
export function protocolId(name: string): string {
  if (/^\d/.test(name)) return name
  const known = protocols().get(name.toLowerCase())
  return known === undefined ? (inFile().find((fields) => fields[0] === name)?.[1] ?? name) : String(known)
}

/** The name by which iptables prints a protocol; the number of one without. */
export function protocolName(number: number): string {
  const names = namesOf()
  const known = names.get(number) ?? inFile().find((fields) => fields[1] === String(number))?.[0]
  const name = known ?? String(number)
  names.set(number, name)
  return name
}

// internal

/** iptables takes the names of the node's file, where ipip is not the protocol of the kernel's tunnels of that name. */
const protocols = (): ReadonlyMap<string, number> => {
  byName ??= new Map([...protocolNumbers, ['ipip', 94]])
  return byName
}

/** Of several names the first. */
const namesOf = (): Map<number, string> => {
  byNumber ??= new Map([...protocols()].reverse().map(([name, number]) => [number, name]))
  return byNumber
}

// Made at use: most rulesets name two protocols, and are compared with nothing.
let byName: ReadonlyMap<string, number> | undefined
let byNumber: Map<number, string> | undefined

const inFile = () => records('/etc/protocols', /\s+/).filter(([name]) => name?.startsWith('#') === false)

function records(path: string, separator: string | RegExp): string[][] {
  try {
    // Not imported: this module is also for programs without Node.
    return process
      .getBuiltinModule('node:fs')
      .readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.split(separator))
  } catch {
    // No such file, or no Node: no other names are known.
    return []
  }
}
