import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Whether the package of a file says that none of its modules has an effect by being evaluated: `sideEffects: false`. */
export function isPure(file: string): boolean {
  const folder = dirname(file)
  let text: string
  try {
    text = readFileSync(join(folder, 'package.json'), 'utf8')
  } catch {
    return folder !== file && isPure(folder)
  }
  const described: unknown = JSON.parse(text)
  return (
    typeof described === 'object' && described !== null && 'sideEffects' in described && described.sideEffects === false
  )
}
