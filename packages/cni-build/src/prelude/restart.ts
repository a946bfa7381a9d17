import { type Sys, tryLoadSys } from '@cni/netns/sys'

/** Environment variable that holds the id of a restarted process. It prevents a second restart. */
export const RESTARTED = 'CNI_BUILD_STARTED_ANEW'

/** Signal of bun's profilers. It would end the restarted program, so it stays blocked. */
const SIGPWR = 30

/** Flag of unshare(2): stops sharing working directory and root with the other threads of the process. */
const CLONE_FS = 0x200

/**
 * Restarts this program in the same process, without the variables that configure the runtime.
 *
 * @param unwanted - true for the name of a variable to remove
 */
export function restart(unwanted: (name: string) => boolean): void {
  const isSecond = process.env[RESTARTED] === String(process.pid)
  // The program and its child processes do not need the mark of the restart.
  delete process.env[RESTARTED]
  const names = Object.keys(process.env).filter(unwanted)
  if (names.length === 0) return
  try {
    if (isSecond) throw new Error('they are set again after a restart')
    execute(unwanted)
  } catch (error) {
    warn(names, error)
  }
}

// internal

/**
 * Executes the program again. Passes arguments and environment as bytes, because they may contain text that is not
 * UTF-8.
 */
function execute(unwanted: (name: string) => boolean): void {
  const environment = textsIn('environ')
  const kept = environment.filter((text) => !unwanted(variableName(text)) && variableName(text) !== RESTARTED)
  if (kept.length === environment.length) throw new Error('/proc/self/environ does not list them')
  kept.push(Buffer.from(`${RESTARTED}=${process.pid}`))
  const [file, args] = [ownFile(), textsIn('cmdline')]
  const sys = tryLoadSys()
  if (sys === undefined) executeWithoutFfi(file, args, kept)
  unshareFolders(sys)
  sys.execve(file, args, kept, SIGPWR)
}

/** Gives this thread its own working directory, because execve(2) otherwise blocks new threads of bun. */
function unshareFolders(sys: Sys): void {
  try {
    sys.unshare(CLONE_FS)
  } catch {
    // Ignores the error, for example of a seccomp filter that forbids unshare(2). Most restarts succeed without
    // unshare(2).
  }
}

/** Restarts the program in a bun without FFI. The function `process.execve` supports UTF-8 only. */
function executeWithoutFfi(file: string, args: readonly Uint8Array[], environment: readonly Uint8Array[]): never {
  if (process.execve === undefined) throw new Error('this runtime has no FFI')
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const pairs = environment.map((text) => /^([^=]*)=?(.*)$/s.exec(utf8.decode(text))?.slice(1) ?? [])
  // Keeps the first of two environment variables with the same name, as getenv(3) does.
  const argv = args.map((text) => utf8.decode(text))
  return process.execve(file, argv, Object.fromEntries(pairs.reverse()))
}

/** Reads the NUL-terminated strings in a file of /proc, such as `/proc/self/environ`. */
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

const variableName = (text: Uint8Array): string => Buffer.from(text).toString('latin1').split('=', 1)[0] ?? ''

/** Path of the executable, or `/proc/self/exe` if the executable was replaced or removed. */
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
  // Quotes an unusual name of an environment variable, because a name may contain any bytes.
  const list = names.map((name) => (/^\w+$/.test(name) ? name : JSON.stringify(name))).join(', ')
  const reason = error instanceof Error ? error.message : String(error)
  try {
    fs().writeSync(2, `${program}: ${list} in force, as it cannot start anew without: ${reason}\n`)
  } catch {
    // The message cannot be printed because stderr is closed. The program continues, because the message is not
    // essential.
  }
}

// Loads node:fs only when it is used, because most starts do not need it.
const fs = () => process.getBuiltinModule('node:fs')
