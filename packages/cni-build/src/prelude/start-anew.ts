import { type Sys, tryLoadSys } from '@cni/netns/sys'

/**
 * Environment variable that marks a restarted process. Its value is the process id. The mark prevents a second restart.
 * The restarted program deletes the mark first.
 */
export const STARTED_ANEW = 'CNI_BUILD_STARTED_ANEW'

/**
 * Signal that stays blocked during a restart. The profilers of bun stop threads with this signal. It would end the
 * restarted program before bun has installed its signal handler.
 */
const SIGPWR = 30

/** Flag of unshare(2): stops sharing working directory and root with the other threads of the process. */
const CLONE_FS = 0x200

/**
 * Executes this program again in the same process, without the environment variables that configure the runtime.
 * Process id, arguments and stdin stay. If the restart is impossible, prints a message to stderr and continues with all
 * variables.
 *
 * @param unwanted - true for the name of a variable to remove
 */
export function startAnew(unwanted: (name: string) => boolean): void {
  const isSecond = process.env[STARTED_ANEW] === String(process.pid)
  // Deletes the variable that marks a restarted process, because the program and its child processes do not need it.
  // The mark counts only if its value is the id of this process.
  delete process.env[STARTED_ANEW]
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
  const kept = environment.filter((text) => !unwanted(nameOf(text)) && nameOf(text) !== STARTED_ANEW)
  if (kept.length === environment.length) throw new Error('/proc/self/environ does not list them')
  kept.push(Buffer.from(`${STARTED_ANEW}=${process.pid}`))
  const [file, args] = [ownFile(), textsIn('cmdline')]
  const sys = tryLoadSys()
  if (sys === undefined) executeWithoutFfi(file, args, kept)
  ownFolders(sys)
  sys.execve(file, args, kept, SIGPWR)
}

/**
 * Gives this thread its own working directory, before it calls execve(2). Reason: threads that share the working
 * directory of a thread in execve(2) cannot start other threads. The debugger of bun would then fail to start a thread,
 * and bun would abort the process.
 */
function ownFolders(sys: Sys): void {
  try {
    sys.unshare(CLONE_FS)
  } catch {
    // Ignores the error, for example of a seccomp filter that forbids unshare(2). Most restarts succeed without
    // unshare(2).
  }
}

/**
 * Restarts the program with `process.execve` instead of FFI, for a bun without FFI (`BUN_JSC_useJIT=0`). All other
 * restarts use FFI, because `process.execve` supports UTF-8 only.
 */
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

const nameOf = (text: Uint8Array): string => Buffer.from(text).toString('latin1').split('=', 1)[0] ?? ''

/**
 * Path of the executable to restart. The kernel takes the name of the restarted process from this path. Returns
 * `/proc/self/exe` if the executable was replaced or removed, because this link always leads to the running file.
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
  // Quotes the name of an environment variable if it is unusual, because a name may contain any bytes.
  const list = names.map((name) => (/^\w+$/.test(name) ? name : JSON.stringify(name))).join(', ')
  const reason = error instanceof Error ? error.message : String(error)
  try {
    fs().writeSync(2, `${program}: ${list} in force, as it cannot start anew without: ${reason}\n`)
  } catch {
    // The message cannot be printed because stderr is closed. The program continues, because the message is not
    // essential.
  }
}

// Loads node:fs only when it is used. Reason: this file must have no imports, and most starts of an executable do not
// need the module.
const fs = () => process.getBuiltinModule('node:fs')
