import type { Argv } from '@cni/host'

/** The name a started plugin's process has until it has become the plugin. */
export const WRAPPER = 'cni-conformance-wrapper'

/** What is special about the streams of an execution: paths of FIFOs, `-` for nothing special. */
export interface Streams {
  /** Becomes stdin and is never at its end: the process itself holds the other side. */
  readonly stdin?: string
  /** Becomes stdout, without a reader: a write fails with EPIPE. */
  readonly stdout?: string
  readonly stderr?: string
}

/** Folders of the machine that the plugin must not see, each paired with the one it sees instead. */
export type Covers = ReadonlyArray<{ readonly folder: string; readonly by: string }>

// The process becomes unshare, sh and the plugin in turn: one pid, so that signals and the exit status are the plugin's.
// Node connects a child by sockets, runtimes by pipes: a shell's `cat /dev/stdin` works only with the latter.
const SCRIPT = `
in=$1; out=$2; err=$3; pipe=$4; covers=$5; shift 5
while [ "$covers" -gt 0 ]; do mount --bind "$1" "$2"; shift 2; covers=$((covers - 1)); done
cd /
mkfifo "$pipe.in" "$pipe.out" "$pipe.err"
exec 5<&0 6>&1 7>&2
if [ "$in" = - ]; then cat <&5 >"$pipe.in" 5<&- 6>&- 7>&- & exec 0<"$pipe.in"; else exec 0<>"$in"; fi
if [ "$out" = - ]; then cat <"$pipe.out" >&6 5<&- 6>&- 7>&- & exec 1>"$pipe.out"; else exec 3<>"$out" 1>"$out" 3>&-; fi
if [ "$err" = - ]; then cat <"$pipe.err" >&7 5<&- 6>&- 7>&- & exec 2>"$pipe.err"; else exec 3<>"$err" 2>"$err" 3>&-; fi
exec 5<&- 6>&- 7>&-
unset in out err pipe covers
exec "$@"`

/** The command line that starts a plugin in a mount namespace of its own, with covered folders and special streams. */
export function wrap(plugin: string, streams: Streams, pipe: string, covers: Covers): Argv {
  const { stdin = '-', stdout = '-', stderr = '-' } = streams
  const binds = covers.flatMap(({ folder, by }) => [by, folder])
  const shell = ['unshare', '--mount', '--propagation', 'private', '--', 'sh', '-ec', SCRIPT, WRAPPER] as const
  return [...shell, stdin, stdout, stderr, pipe, String(covers.length), ...binds, plugin]
}
