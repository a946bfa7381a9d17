import { invalid } from '../errors.ts'
import { checkRange } from './match-values.ts'
import type { Family } from './model.ts'
import { checkPorts } from './numbers.ts'

/** Checks a new address for DNAT or SNAT: `10.0.0.1`, `10.0.0.1:80`, `[fd00::1]:80`; both as ranges `from-to`. */
export function checkNat(text: string, family: Family, what: string): string {
  const form =
    family === 'ipv4' ? /^([0-9.-]+)(?::([0-9-]+))?$/ : /^(?:\[([0-9A-Fa-f:.-]+)\]:([0-9-]+)|([0-9A-Fa-f:.-]+))$/
  const parts = typeof text === 'string' ? form.exec(text) : null
  const address = parts?.[1] ?? parts?.[3]
  if (address === undefined) {
    const sample = family === 'ipv4' ? '10.0.0.1:80' : '[fd00::1]:80'
    invalid(`${what}: ${JSON.stringify(text)} is not an ${family} address with an optional port, such as ${sample}`)
  }
  checkRange(address, family, what)
  if (parts?.[2] !== undefined) checkPorts(parts[2], what, '-')
  return text
}
