import { type Sys, tryLoadSys } from '@cni/netns/sys'

/** Holds the id of a process that was started anew, until its first line: nobody starts anew twice. */
export const STARTED_ANEW = 'CNI_BUILD_STARTED_ANEW'

/** With which bun's profilers stop its threads: it ends a program that has no handler yet, as bun has when it unblocks it. */
const SIGPWR = 30

/** Flag of unshare(2): the folders of a thread, shared with all other threads of its process. */
const CLONE_FS = 0x200

/**
 * Makes this process the same program once more, without some of its environment: same id, same arguments, stdin as it
 * was. Where that cannot be, it says so on stderr, and the program goes on with what it was given.
 *
 * @param unwanted of the name of a variable
 */
export function startAnew(unwanted: (name: string) => boolean): void {
  const isSecond = process.env[STARTED_ANEW] === String(process.pid)
  // Neither this program nor one that it starts has a use for it, and that of another process is not about us.
  delete process.env[STARTED_ANEW]
  const names = Object.keys(process.env).filter(unwanted)
  if (names.length === 0) return
  try {
    if (isSecond) throw new Error('that was done, and they are there again')
    execute(unwanted)
  } catch (error) {
    warn(names, error)
  }
}

// internal

/** In bytes, as the kernel has them: neither arguments nor variables need be UTF-8. */
function execute(unwanted: (name: string) => boolean): void {
  const environment = textsIn('environ')
  const kept = environment.filter((text) => !unwanted(nameOf(text)) && nameOf(text) !== STARTED_ANEW)
  if (kept.length === environment.length) throw new Error('/proc/self/environ does not have them')
  kept.push(Buffer.from(`${STARTED_ANEW}=${process.pid}`))
  const [file, args] = [ownFile(), textsIn('cmdline')]
  const sys = tryLoadSys()
  if (sys === undefined) executeWithoutFfi(file, args, kept)
  ownFolders(sys)
  sys.execve(file, args, kept, SIGPWR)
}

/**
 * While a thread executes a file, no thread that shares its folders can start another one (EAGAIN): the thread of bun's
 * debugger, which does that as it begins, then aborts the process.
 */
function ownFolders(sys: Sys): void {
  try {
    sys.unshare(CLONE_FS)
  } catch {
    // A filter of system calls may refuse it; without it most starts succeed.
  }
}

/** bun has no FFI with `BUN_JSC_useJIT=0`, but this. Not first, because it takes nothing but UTF-8. */
function executeWithoutFfi(file: string, args: readonly Uint8Array[], environment: readonly Uint8Array[]): never {
  if (process.execve === undefined) throw new Error('this runtime has no FFI')
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const pairs = environment.map((text) => /^([^=]*)=?(.*)$/s.exec(utf8.decode(text))?.slice(1) ?? [])
  // Of two with one name the first counts, as for getenv.
  const argv = args.map((text) => utf8.decode(text))
  return process.execve(file, argv, Object.fromEntries(pairs.reverse()))
}

/** The texts in a file of /proc, each of which ends with a NUL. */
function textsIn(file: 'cmdline' | 'environ'): Uint8Array[] {
  const bytes = fs().readFileSync(`/proc/self/${file}`)
  const texts: Uint8Array[] = []
  for (let start = 0; start < bytes.length; ) {
    const nul = bytes.indexOf(0, start)
    const end = nul < 0 ? bytes.length : nul
    texts.push(bytes.subarray(start, end))
    start = end + 1
  }
  return texts
}

const nameOf = (text: Uint8Array): string => Buffer.from(text).toString('latin1').split('=', 1)[0] ?? ''

/**
 * By its path, which the process is named after, unless that leads to another file by now, or to none: the link leads to
 * what runs, whatever became of its name.
 */
function ownFile(): string {
  const link = '/proc/self/exe'
  const path = fs().readlinkSync(link)
  return identity(path) === identity(link) ? path : link
}

function identity(path: string): string {
  try {
    const { dev, ino } = fs().statSync(path)
    return `${dev}:${ino}`
  } catch {
    return 'gone, or out of reach'
  }
}

function warn(names: readonly string[], error: unknown): void {
  const program = process.argv0.slice(process.argv0.lastIndexOf('/') + 1)
  // A name is whatever bytes somebody put there.
  const list = names.map((name) => (/^\w+$/.test(name) ? name : JSON.stringify(name))).join(', ')
  const reason = error instanceof Error ? error.message : String(error)
  try {
    fs().writeSync(2, `${program}: ${list} in force, as it cannot start anew without: ${reason}\n`)
  } catch {
    // Nobody reads stderr, which is no reason not to do what was asked.
  }
}

// At use, and not imported: this is part of a text without imports, and most starts need none of it.
const fs = () => process.getBuiltinModule('node:fs')
