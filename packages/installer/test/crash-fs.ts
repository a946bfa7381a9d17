import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Functions of `node:fs` that change the file system. */
const CHANGING = [
  'openSync',
  'copyFile',
  'writeSync',
  'fchmodSync',
  'fchownSync',
  'fdatasyncSync',
  'renameSync',
  'linkSync',
  'symlinkSync',
  'unlinkSync',
  'chmodSync',
  'mkdirSync',
] as const

/** Runs `work`, but each file system change from the n-th on fails. Returns the number of attempted changes. */
export async function crashBefore(n: number, work: () => Promise<unknown>, onCrash?: () => never): Promise<number> {
  let count = 0
  const originals = new Map<string, unknown>()
  for (const name of CHANGING) {
    const original: unknown = Reflect.get(fs, name)
    originals.set(name, original)
    Reflect.set(fs, name, (...args: unknown[]) => {
      if (name !== 'openSync' || (Number(args[1] ?? 0) & fs.constants.O_CREAT) !== 0) {
        count += 1
        if (count >= n) {
          if (name === 'copyFile' && count === n) copyHalf(String(args[0]), String(args[1]))
          onCrash?.()
          throw new Error('crashed')
        }
      }
      return typeof original === 'function' ? Reflect.apply(original, fs, args) : undefined
    })
  }
  syncBuiltinESMExports()
  try {
    await work()
  } catch {
    // Error that simulates the crash of the process.
  } finally {
    for (const [name, original] of originals) Reflect.set(fs, name, original)
    syncBuiltinESMExports()
  }
  return count
}

/** Creates the incomplete file that a process leaves when it is killed while copying. */
function copyHalf(source: string, target: string): void {
  const bytes = fs.readFileSync(source)
  fs.writeFileSync(target, bytes.subarray(0, bytes.length / 2), { flag: 'wx' })
}
