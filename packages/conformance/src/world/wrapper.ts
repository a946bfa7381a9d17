/** Name of the script process until it executes the plugin's file. */
export const WRAPPER = 'cni-conformance-wrapper'

/** Last line on stderr if the plugin's file could not be executed. */
export const NOT_STARTED = `${WRAPPER}: the plugin was not started`

/** Paths of FIFOs for the plugin's stdin, stdout and stderr. `-` leaves a stream unchanged. */
export interface Streams {
  /** FIFO for stdin. The plugin never reads an end of input, because its own process holds a writer. */
  readonly stdin?: string
  /** FIFO for the plugin's stdout that has no reader: a write of the plugin fails with EPIPE. */
  readonly stdout?: string
  readonly stderr?: string
}

/** Bind mount in the plugin's mount namespace, from the machine's path to the plugin's path. */
export interface Mount {
  readonly from: string
  readonly to: string
}

// `exec` keeps the pid, because signals must reach the plugin. stdin is a pipe, because a shell plugin cannot open a
// socket.
const SCRIPT = `
trap 'echo "${NOT_STARTED}" >&2' EXIT
in=$1; out=$2; err=$3; pipe=$4; mounts=$5; shift 5
while [ "$mounts" -gt 0 ]; do mount -n --rbind "$1" "$2"; shift 2; mounts=$((mounts - 1)); done
cd /
mkfifo "$pipe.in" "$pipe.out" "$pipe.err"
exec 5<&0 6>&1 7>&2
if [ "$in" = - ]; then cat <&5 >"$pipe.in" 5<&- 6>&- 7>&- & exec 0<"$pipe.in"; else exec 0<>"$in"; fi
if [ "$out" = - ]; then cat <"$pipe.out" >&6 5<&- 6>&- 7>&- & exec 1>"$pipe.out"; else exec 3<>"$out" 1>"$out" 3>&-; fi
if [ "$err" = - ]; then cat <"$pipe.err" >&7 5<&- 6>&- 7>&- & exec 2>"$pipe.err"; else exec 3<>"$err" 2>"$err" 3>&-; fi
exec 5<&- 6>&- 7>&-
unset in out err pipe mounts
exec "$@"`

/** Command line that starts a plugin in its own mount namespace, with FIFOs for some of its streams. */
export function wrap(
  plugin: string,
  streams: Streams,
  pipe: string,
  mounts: readonly Mount[],
): readonly [string, ...string[]] {
  const { stdin = '-', stdout = '-', stderr = '-' } = streams
  const places = mounts.flatMap(({ from, to }) => [from, to])
  const shell = ['unshare', '--mount', '--propagation', 'private', '--', 'sh', '-ec', SCRIPT, WRAPPER] as const
  return [...shell, stdin, stdout, stderr, pipe, String(mounts.length), ...places, plugin]
}
