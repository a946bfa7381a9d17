import { readFileSync } from '../fs/whole-file.ts'
import { isIP } from './ip.ts'

/** Looks up the address of a host without DNS: a numeric address, `localhost`, or a name in /etc/hosts. */
export function lookupHost(name: string): string | undefined {
  if (isIP(name) !== 0) return name
  const wanted = name.toLowerCase()
  const listed = hostsFile()
    .map((line) => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/))
    .find(([, ...names]) => names.includes(wanted))
  return listed?.[0] ?? (wanted === 'localhost' ? '127.0.0.1' : undefined)
}

function hostsFile(): string[] {
  try {
    return String(readFileSync('/etc/hosts', 'utf8')).split('\n')
  } catch {
    // Treats a missing /etc/hosts as an empty file.
    return []
  }
}
