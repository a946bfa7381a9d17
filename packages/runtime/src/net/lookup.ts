import { readFileSync } from '../fs/whole-file.ts'
import { isIP } from './ip.ts'

/** Addresses of a name by /etc/hosts. There is no DNS: a program that needs it is built with `--runtime bun`. */
export function lookupHost(name: string): string | undefined {
  if (isIP(name) !== 0) return name
  const listed = hostsFile()
    .map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
    .find(([, ...names]) => names.includes(name))
  return listed?.[0] ?? (name === 'localhost' ? '127.0.0.1' : undefined)
}

function hostsFile(): string[] {
  try {
    return String(readFileSync('/etc/hosts', 'utf8')).split('\n')
  } catch {
    // No such file: only `localhost` is known.
    return []
  }
}
