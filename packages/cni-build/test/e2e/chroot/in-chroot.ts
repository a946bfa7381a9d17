import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from '@cni/host'

/** State of the tmpfs on `/`, the only file system that the tested executable can write to. */
export type Disk = 'writable' | 'read-only' | 'full'

export interface Call {
  executable: string
  env?: Readonly<Record<string, string>>
  /** Text on the executable's stdin. The value `closed` starts the executable without descriptor 0. */
  stdin?: string | { closed: true }
  /**
   * Target of the executable's stdout: a pipe that the test reads, or `/dev/full`, where every write fails with ENOSPC.
   */
  stdout?: 'pipe' | '/dev/full'
  disk?: Disk
  /** Files that the test creates in `/` before the start. `/` is also the working directory. */
  files?: Readonly<Record<string, string>>
}

export interface Outcome {
  exitCode: number | null
  stdout: string
  stderr: string
  /** Files and folders that the executable created or removed, or whose size, mode or time it changed. */
  changed: string[]
}

/** Shell script that starts an executable in a chroot and lists the files it changes. */
const SCRIPT = `
set -eu
PATH=$PATH:/usr/sbin:/sbin
chroot=$(command -v chroot)
folder=$1 executable=$2 disk=$3 stdin=$4 stdout=$5; shift 5
root=$folder/root
mount -t tmpfs -o size=4m,mode=755 tmpfs "$root"
mkdir -p "$root/proc" "$root/tmp"
cp -r "$folder/files/." "$root/"
: > "$root/plugin"; mount --bind "$executable" "$root/plugin"; mount -o remount,bind,ro "$root/plugin"
: > "$root/pod"; unshare --net="$root/pod" true
mount --bind /proc "$root/proc"
if [ "$stdin" = closed ]; then mkdir "$root/dev"; : > "$root/dev/null"; mount --bind /dev/null "$root/dev/null"; fi
case $disk in
  full) cat /dev/zero > "$root/fill" 2>/dev/null || : ;;
  read-only) mount -o remount,ro "$root" ;;
esac
list() { find "$root" -xdev -printf '%P size %s mode %m modified %T@\\n' | sort; }
list > "$folder/before"
exec 3>&1
if [ "$stdout" = /dev/full ]; then exec 3>/dev/full; fi
code=0
if [ "$stdin" = closed ]; then env -i "$@" "$chroot" "$root" /plugin <&- >&3 3>&- || code=$?
else env -i "$@" "$chroot" "$root" /plugin < "$folder/stdin" >&3 3>&- || code=$?; fi
list > "$folder/after"
exit $code
`

/** Starts an executable in an almost empty chroot. */
export async function inChroot(call: Call): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'cni-chroot-'))
  try {
    const stdin = typeof call.stdin === 'object' ? 'closed' : 'file'
    writeFileSync(join(folder, 'stdin'), typeof call.stdin === 'string' ? call.stdin : '')
    mkdirSync(join(folder, 'root'))
    mkdirSync(join(folder, 'files'))
    for (const [name, text] of Object.entries(call.files ?? {})) {
      const file = join(folder, 'files', name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      chmodSync(file, 0o755)
    }
    const env = Object.entries(call.env ?? {}).map(([name, value]) => `${name}=${value}`)
    const script = [
      SCRIPT,
      'sh',
      folder,
      call.executable,
      call.disk ?? 'writable',
      stdin,
      call.stdout ?? 'pipe',
    ] as const
    const { exitCode, stdout, stderr } = await run(
      ['unshare', '--mount', '--propagation', 'private', '--', 'sh', '-c', ...script, ...env],
      { reject: false, timeout: 20_000 },
    )
    const [before, after] = ['before', 'after'].map((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    const changed = [
      ...(before ?? []).filter((x) => !after?.includes(x)),
      ...(after ?? []).filter((x) => !before?.includes(x)),
    ]
    return { exitCode, stdout, stderr, changed }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
