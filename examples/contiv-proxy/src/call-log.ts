import { type CallContext, fileSink, type LogOptions } from '@cni/skel'

/** Where the original logs. */
export const LOG_FILE = '/var/log/contivk8s.log'

/** The file that operators of the original know; one that cannot be written is left out, and the pod starts all the same. */
export const logTo = (path: string): LogOptions => (path === '' ? {} : { sinks: [fileSink({ path })] })

/** Says what was called, and gives each line of the call the original's field `NETNS`. */
export function announce({ log, env }: CallContext): void {
  log.bind({ NETNS: netnsField(env.CNI_NETNS) })
  log.info('called', { command: env.CNI_COMMAND, args: env.CNI_ARGS ?? '' })
}

/** The process id of `/proc/PID/ns/net`, any other path as it is, `EMPTY` without one. */
function netnsField(path = ''): string {
  return /^\/proc\/([^/]*)/.exec(path)?.[1] ?? (path || 'EMPTY')
}
