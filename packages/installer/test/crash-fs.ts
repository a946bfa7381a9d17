import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** The calls that change a file system. */
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

/**
 * Runs `work` with the file system gone before the n-th call that changes it, as after SIGKILL: neither that call nor a
 * later one has an effect, those of error handlers included.
 *
 * @returns how many such calls there were: fewer than `n` when the work came to its end.
 */
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
    // the crash itself
  } finally {
    for (const [name, original] of originals) Reflect.set(fs, name, original)
    syncBuiltinESMExports()
  }
  return count
}

/** Where a copy is when the process is killed in the midst of it. */
function copyHalf(source: string, target: string): void {
  const bytes = fs.readFileSync(source)
  fs.writeFileSync(target, bytes.subarray(0, bytes.length / 2), { flag: 'wx' })
}
