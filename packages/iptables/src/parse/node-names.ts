import { protocolNumbers } from '@cni/types/packet'

/** Finds the id of a user or group by name. Returns an unknown name unchanged. */
export function accountId(file: 'passwd' | 'group', name: string): string {
  if (/^\d/.test(name)) return name
  return records(`/etc/${file}`, ':').find((fields) => fields[0] === name)?.[2] ?? name
}

/** Finds the number of an IP protocol by name. Returns an unknown name unchanged. */
export function protocolId(name: string): string {
  if (/^\d/.test(name)) return name
  const known = protocols().get(name.toLowerCase())
  return known === undefined ? (inFile().find((fields) => fields[0] === name)?.[1] ?? name) : String(known)
}

/** Name that iptables prints for an IP protocol, or the protocol's number if it has no name. */
export function protocolName(number: number): string {
  const names = namesOf()
  const known = names.get(number) ?? inFile().find((fields) => fields[1] === String(number))?.[0]
  const name = known ?? String(number)
  names.set(number, name)
  return name
}

// internal

/** Map from a protocol's name to its number. `ipip` is 94 as in `/etc/protocols`, unlike in the kernel. */
const protocols = (): ReadonlyMap<string, number> => {
  byName ??= new Map([...protocolNumbers, ['ipip', 94]])
  return byName
}

/** Map from a protocol's number to its name. If a number has several names, the first one counts. */
const namesOf = (): Map<number, string> => {
  byNumber ??= new Map([...protocols()].reverse().map(([name, number]) => [number, name]))
  return byNumber
}

// Maps of protocols, created at the first use: most calls compare no rules and need no maps.
let byName: ReadonlyMap<string, number> | undefined
let byNumber: Map<number, string> | undefined

const inFile = () => records('/etc/protocols', /\s+/).filter(([name]) => name?.startsWith('#') === false)

function records(path: string, separator: string | RegExp): string[][] {
  try {
    // Loads `node:fs` at the first use, because this module also runs without Node.js.
    return process
      .getBuiltinModule('node:fs')
      .readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.split(separator))
  } catch {
    // Ignores a missing file, because this code also runs without Node.js.
    return []
  }
}
