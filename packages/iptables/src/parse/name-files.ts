import { readFileSync } from 'node:fs'

/** The id of a user or group by name, from the node's files as iptables itself reads them; unknown names stay. */
export function accountId(file: 'passwd' | 'group', name: string): string {
  if (/^\d/.test(name)) return name
  return records(`/etc/${file}`, ':').find((fields) => fields[0] === name)?.[2] ?? name
}

/** The number of a protocol that iptables printed by the name in the node's file; unknown names stay. */
export function protocolId(name: string): string {
  if (/^\d/.test(name)) return name
  return records('/etc/protocols', /\s+/).find((fields) => fields[0] === name)?.[1] ?? name
}

function records(path: string, separator: string | RegExp): string[][] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.split(separator))
  } catch {
    // No such file: then iptables knows no names either.
    return []
  }
}
