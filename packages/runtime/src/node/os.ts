import { readFileSync } from '../fs/whole-file.ts'
import { host } from '../host.ts'
import { process } from '../process/process.ts'
import { errnoNumbers } from '../sys/errno.ts'
import { call } from '../sys/numbers.ts'
import { signalNumbers } from '../sys/signal-names.ts'

export const EOL = '\n'
export const devNull = '/dev/null'
export const constants = /* @__PURE__ */ Object.freeze({
  signals: signalNumbers,
  errno: /* @__PURE__ */ errnoNumbers(),
  priority: { PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_HIGHEST: -20 },
})

/** Size in bytes of each member of the kernel's struct utsname. */
const UTS = 65

function uts(index: number): string {
  const names = new Uint8Array(6 * UTS)
  call('uname', names)
  const name = names.subarray(index * UTS, (index + 1) * UTS)
  return host.decode(name, 0, name.indexOf(0))
}

export const type = (): string => uts(0)
export const hostname = (): string => uts(1)
export const release = (): string => uts(2)
export const version = (): string => uts(3)
export const machine = (): string => uts(4)
export const platform = (): string => 'linux'
export const arch = (): string => host.arch
export const endianness = (): string => 'LE'

export function tmpdir(): string {
  const { TMPDIR, TMP, TEMP } = process.env
  const path = TMPDIR || TMP || TEMP || '/tmp'
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** Returns the home folder of the user, from the variable HOME or else from /etc/passwd. */
export const homedir = (): string => process.env.HOME ?? userInfo().homedir

interface UserInfo {
  readonly username: string
  readonly uid: number
  readonly gid: number
  readonly shell: string | null
  readonly homedir: string
}

export function userInfo(): UserInfo {
  const uid = process.getuid()
  const users = String(readFileSync('/etc/passwd', 'utf8')).split('\n')
  const user = users.map((line) => line.split(':')).find(([, , id]) => id === String(uid))
  if (user === undefined) throw new Error(`uv_os_get_passwd: no user ${uid} in /etc/passwd`)
  const [username = '', , , gid = '0', , home = '', shell = ''] = user
  return { username, uid, gid: Number(gid), shell: shell === '' ? null : shell, homedir: home }
}

/** Reads a member of the kernel's struct sysinfo, by its index in 8-byte words. */
function sysinfo(index: number): number {
  const words = new BigUint64Array(14)
  call('sysinfo', words)
  return Number(words[index] ?? 0n)
}

export const uptime = (): number => sysinfo(0)
export const totalmem = (): number => sysinfo(4)
export const freemem = (): number => sysinfo(5)
export const loadavg = (): number[] => [1, 2, 3].map((index) => sysinfo(index) / 65_536)

interface Cpu {
  readonly model: string
  readonly speed: number
}

/** Implements Node's `os.cpus`: processors from /proc/cpuinfo, without times. */
export function cpus(): Cpu[] {
  const blocks = String(readFileSync('/proc/cpuinfo', 'utf8')).trim().split('\n\n')
  const field = (block: string, name: string): string => new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(block)?.[1] ?? ''
  return blocks.map((block) => ({
    model: field(block, 'model name') || 'unknown',
    speed: Math.round(Number(field(block, 'cpu MHz')) || 0),
  }))
}

export function availableParallelism(): number {
  const mask = new Uint8Array(128)
  const length = call('sched_getaffinity', 0, mask.length, mask)
  let count = 0
  for (const byte of mask.subarray(0, Math.max(0, length))) for (let bit = 0; bit < 8; bit++) count += (byte >> bit) & 1
  return Math.max(1, count)
}

export default {
  EOL,
  devNull,
  constants,
  type,
  hostname,
  release,
  version,
  machine,
  platform,
  arch,
  endianness,
  tmpdir,
  homedir,
  userInfo,
  uptime,
  totalmem,
  freemem,
  loadavg,
  availableParallelism,
  cpus,
}
